"""`mailflow import`: a circle that kept a spreadsheet brings members, balances and games along."""
