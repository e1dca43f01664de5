"""A year of Tuesdays: a club lives in one process and in virtual time, from one seed, judged at each step.

What runs is the program itself; people, crooks, fate and the law are made up here. `docs/simulation.md`.
"""
