"""Somebody who has left and is to be forgotten, as the store needs to know him for that."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

import peewee

from store.masking import Mask

OMITTED = "(…)"
"""Stands where somebody's words stood."""


@dataclass(frozen=True)
class Former:
    """`id` is his row; `addresses` were his; `mail` is the id of the received mail that asks for it."""

    db: peewee.Database
    club_id: int
    id: int
    handle: str
    addresses: tuple[str, ...]
    mask: Mask
    mail: int
    at: datetime
