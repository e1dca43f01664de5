"""Whether the lease that a handle is bound to still stands: looked at in every transaction (P-5).

Within a transaction the row stays locked until that ends, so that nobody takes the lease over in between.
Outside of one a lock would end with the statement, and to note it and wait for the disk would be in vain.
"""

from __future__ import annotations

import peewee

from store import sql
from store.errors import LeaseLost
from store.handles import Postgresql, Sqlite


def check(db: peewee.Database) -> None:
    """Raise LeaseLost if the handle's lease has been taken over or given back."""
    if isinstance(db, Sqlite | Postgresql) and db.fence is not None and db.club_id is not None:
        check_number(db, db.club_id, db.fence.lease, db.fence.number)


def check_number(db: peewee.Database, club_id: int, lease: str, number: int) -> None:
    """Raise LeaseLost unless the lease still stands under this number."""
    text = "SELECT fence FROM lease WHERE club_id = ? AND name = ? AND holder IS NOT NULL"
    lock = " FOR SHARE" if isinstance(db, Postgresql) and db.within() else ""
    found = sql.value(db, text + lock, (club_id, lease))
    if found != number:
        raise LeaseLost(f"the lease {lease!r} of club {club_id} is no longer ours")
