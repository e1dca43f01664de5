"""What each column can hold of a person, and the sweep that puts a pseudonym in place of his name.

`HOLDS` names every column that holds text; a test holds it against the schema, so that a column which is
added is thought of here too.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import Enum
from typing import Any

import peewee

from store import audit, sql, tables
from store.masking import Mask
from store.records import fold_handle


class Holds(Enum):
    """What a column can hold of a person."""

    NOTHING = "numbers, codes and digests of ours, or the club's own words"
    OWN = "his own: looked after by name, below"
    HANDLE = "a handle and nothing else"
    WORDS = "what somebody wrote, or was told"
    STEPS = "JSON whose values may be handles"


HOLDS: Mapping[str, Mapping[str, Holds]] = {
    "schema_version": {"name": Holds.NOTHING},
    "club": dict.fromkeys(("name", "address", "timezone", "currency", "language", "forum"), Holds.NOTHING),
    "rulebook": {"values_json": Holds.NOTHING, "author": Holds.HANDLE, "reason": Holds.WORDS},
    "account": {"code": Holds.OWN},
    "member": {
        "handle": Holds.OWN,
        "folded": Holds.OWN,
        "name": Holds.OWN,
        "language": Holds.NOTHING,
        "status": Holds.NOTHING,
        "banned_by": Holds.HANDLE,
        "ban_reason": Holds.WORDS,
    },
    "address": {"address": Holds.OWN},
    "acceptance": {"how": Holds.NOTHING},
    "invitation": {
        "handle": Holds.OWN,
        "folded": Holds.OWN,
        "address": Holds.OWN,
        "invited_by": Holds.HANDLE,
        "state": Holds.NOTHING,
    },
    "application": {
        "handle": Holds.OWN,
        "address": Holds.OWN,
        "state": Holds.NOTHING,
        "decided_by": Holds.HANDLE,
    },
    "identity_change": {"kind": Holds.NOTHING, "address": Holds.OWN, "state": Holds.NOTHING},
    "seal": {},
    "game": {"state": Holds.NOTHING},
    "entry": {"kind": Holds.NOTHING, "effect_key": Holds.NOTHING},
    "posting": {},
    "memo": {"memo": Holds.WORDS},
    "participant": {},
    "dispute": {"reason": Holds.WORDS},
    "decision": {"manager": Holds.HANDLE, "verdict": Holds.NOTHING, "reason": Holds.WORDS},
    "game_step": {"actor": Holds.HANDLE, "kind": Holds.NOTHING, "details_json": Holds.STEPS},
    "injunction": {"state": Holds.NOTHING, "launched_by": Holds.HANDLE},
    "injunction_line": {},
    "nudge": {},
    "complaint": {
        "author": Holds.HANDLE,
        "about": Holds.HANDLE,
        "complaint": Holds.WORDS,
        "closed_by": Holds.HANDLE,
    },
    "card": {"settled_by": Holds.HANDLE},
    "inbox": dict.fromkeys(("source", "offered", "state", "reason", "fingerprint", "carried"), Holds.NOTHING),
    "inbox_raw": {"content": Holds.OWN},
    "reading": {"record_json": Holds.OWN},
    "token": {
        "purpose": Holds.NOTHING,
        "address": Holds.OWN,
        "nonce": Holds.OWN,
        "digest": Holds.NOTHING,
        "payload_json": Holds.OWN,
        "state": Holds.NOTHING,
        "used_by": Holds.NOTHING,
    },
    "tally": {"subject": Holds.OWN, "kind": Holds.NOTHING},
    "outbox": {
        "cause": Holds.NOTHING,
        "kind": Holds.NOTHING,
        "recipient": Holds.OWN,
        "about": Holds.HANDLE,
        "address": Holds.OWN,
        "subject": Holds.WORDS,
        "body": Holds.WORDS,
        "in_reply_to": Holds.WORDS,
        "message_id": Holds.NOTHING,
        "state": Holds.NOTHING,
        "last_error": Holds.WORDS,
        "held_by": Holds.NOTHING,
        "fault": Holds.NOTHING,
        "language": Holds.NOTHING,
    },
    "outbox_part": dict.fromkeys(("content_type", "name", "content_id", "content"), Holds.OWN),
    "mailbox": {"account": Holds.NOTHING, "folder": Holds.NOTHING},
    "mailbox_mail": {"digest": Holds.NOTHING},
    "run": {"job": Holds.NOTHING},
    "lease": {"name": Holds.NOTHING, "holder": Holds.NOTHING},
    "arrival": {},
    "import_batch": {"kind": Holds.NOTHING, "name": Holds.WORDS},
    "import_row": {"row_key": Holds.NOTHING},
    "erasure": {},
    "audit": dict.fromkeys(("cause", "kind", "payload_json", "hash"), Holds.NOTHING),
}


def mask_everywhere(db: peewee.Database, club_id: int, handle: str, mask: Mask) -> None:
    """Put the pseudonym wherever a column that may name him does so."""
    for table, columns in HOLDS.items():
        for column, holds in columns.items():
            if holds in _REPLACED:
                _replace(db, club_id, table, column, _REPLACED[holds](handle, mask))


def _by_handle(handle: str, mask: Mask) -> Callable[[str], str]:
    return lambda value: mask.instead if fold_handle(value) == fold_handle(handle) else value


def _by_words(_: str, mask: Mask) -> Callable[[str], str]:
    return mask.over


def _by_steps(handle: str, mask: Mask) -> Callable[[str], str]:
    exactly = _by_handle(handle, mask)
    return lambda value: audit.canonical(_within(json.loads(value), exactly))


_REPLACED = {Holds.HANDLE: _by_handle, Holds.WORDS: _by_words, Holds.STEPS: _by_steps}


def _within(value: Any, replaced: Callable[[str], str]) -> Any:
    """Apply `replaced` to every text in a JSON value; names of members of an object are ours."""
    if isinstance(value, dict):
        return {key: _within(one, replaced) for key, one in value.items()}
    if isinstance(value, list):
        return [_within(one, replaced) for one in value]
    return replaced(value) if isinstance(value, str) else value


def _replace(db: peewee.Database, club_id: int, table: str, column: str, new: Callable[[str], str]) -> None:
    keys = [field.column_name for field in _keys(_TABLES[table])]
    text = f"SELECT {', '.join((column, *keys))} FROM {table} WHERE {column} IS NOT NULL{within_club(table)}"
    rows = ((new(value), value, key) for value, *key in sql.rows(db, text, (club_id,)))
    changed = [(after, *key) for after, before, key in rows if after != before]
    where = " AND ".join(f"{key} = ?" for key in keys)
    sql.run_many(db, f"UPDATE {table} SET {column} = ? WHERE {where}", changed)


def _keys(table: type[peewee.Model]) -> Sequence[peewee.Field]:
    keys: Sequence[peewee.Field] = table._meta.get_primary_keys()  # type: ignore[no-untyped-call]
    return keys


_TABLES = {table._meta.table_name: table for table in tables.ALL}


def values(db: peewee.Database, club_id: int, table: str, column: str) -> list[sql.Row]:
    text = f"SELECT DISTINCT {column} FROM {table} WHERE {column} IS NOT NULL{within_club(table)}"
    return sql.rows(db, text, (club_id,))


def within_club(table: str) -> str:
    """The condition that a row is the club's, with one placeholder."""
    return _WITHIN_CLUB.get(table, " AND club_id = ?")


_WITHIN_CLUB = {
    "memo": " AND entry_id IN (SELECT id FROM entry WHERE club_id = ?)",
    "dispute": " AND game_id IN (SELECT id FROM game WHERE club_id = ?)",
    "decision": " AND game_id IN (SELECT id FROM game WHERE club_id = ?)",
    "game_step": " AND game_id IN (SELECT id FROM game WHERE club_id = ?)",
}


def alike(rows: Iterable[sql.Row], handle: str) -> list[str]:
    """Those of the values that are the handle, in whatever spelling."""
    return [value for (value,) in rows if value and fold_handle(value) == fold_handle(handle)]
