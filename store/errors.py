"""What may go wrong in the store, on one page.

Nothing of Peewee or of a driver leaves `store/`, exceptions included: they are turned into these where SQL
is run. A caller needs to tell two fates apart: `StoreUnavailable` may pass if it is tried again, every
other one is a fault of ours or of the file.
"""

from __future__ import annotations


class StoreError(Exception):
    """The root of all errors of the store, and the plain case: this cannot serve as our database."""


class StoreUnavailable(StoreError):
    """The database cannot be reached or written now: missing, locked, read-only, disk full."""


class LeaseLost(StoreUnavailable):
    """Another process has taken over what this one was at work on: nothing was written (P-5)."""


class SchemaRefused(StoreError):
    """The database itself refused a row: a constraint or a trigger of the schema would be broken."""


class RowExists(SchemaRefused):
    """A row that must be unique is there already."""


class UnknownName(StoreError):
    """A handle, account, game or other thing that was named is not in the club's books."""


class WrongState(StoreError):
    """A thing was to move on from a state in which it is not (R-GAME-1), or a step is taken twice."""


class DuplicateEffect(StoreError):
    """The same cause would have the same effect twice (P-2)."""


class UnbalancedEntry(StoreError):
    """A journal entry has fewer than two postings, or they do not sum to zero (R-ACC-2)."""
