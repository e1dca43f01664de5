"""The sub-commands of `mailflow`, one file per subject; `__main__` lists them."""
