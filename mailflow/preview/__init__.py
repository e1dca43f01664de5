"""`mailflow preview`: every mail that a club sends, from real lives of one."""
