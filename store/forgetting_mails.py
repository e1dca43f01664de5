"""Mails of somebody who is forgotten: those he wrote, those he got, and those of others that bear his words.

A mail of another's, or to another, that names him is emptied and not searched for his words: they may stand
in it in any form. Its row stays, so that nothing is done or sent twice. What has not been sent yet is for
another to read: it loses the name now, and the words when it has left (`forgetting.forget_last_mails`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from store import sql
from store.forgetting_columns import alike, values
from store.former import OMITTED, Former
from store.records import member_account

_CHUNK = 200
"""Mails that are held in memory at a time."""


def forget_mails(former: Former) -> None:
    """Empty, or delete, every mail that is his, went to him, or names him."""
    caused = frozenset(f"mail:{number}" for number in _numbers_of_his(former))
    _forget_received(former)
    _forget_readings(former)
    _forget_what_went_to_him(former)
    _end_questions_about_him(former)
    _empty_what_others_were_told(former, caused)


def _numbers_of_his(former: Former) -> list[int]:
    text = "SELECT i.number FROM inbox i JOIN reading r ON r.inbox_id = i.id WHERE r.member_id = ?"
    return [number for (number,) in sql.rows(former.db, text, (former.id,))]


def _forget_received(former: Former) -> None:
    """Mails that wait are left alone, but for the one that asks for this."""
    text = (
        "SELECT i.id, r.content, g.member_id FROM inbox i JOIN inbox_raw r ON r.inbox_id = i.id"
        " LEFT JOIN reading g ON g.inbox_id = i.id WHERE i.id > ? AND i.club_id = ?"
        " AND (i.state <> 'received' OR i.id = ?) ORDER BY i.id LIMIT ?"
    )
    for mail, raw, member in _chunks(former, text, (former.club_id, former.mail)):
        if raw and (member == former.id or former.mask.is_in_mail(bytes(raw))):
            sql.run(former.db, "UPDATE inbox_raw SET content = ? WHERE inbox_id = ?", (b"", mail))
            sql.run(former.db, "DELETE FROM reading WHERE inbox_id = ?", (mail,))


def _forget_readings(former: Former) -> None:
    text = (
        "SELECT r.inbox_id, r.record_json, r.member_id FROM reading r JOIN inbox i ON i.id = r.inbox_id"
        " WHERE r.inbox_id > ? AND i.club_id = ? ORDER BY r.inbox_id LIMIT ?"
    )
    for mail, record, member in _chunks(former, text, (former.club_id,)):
        if member == former.id or former.mask.is_in(record):
            sql.run(former.db, "DELETE FROM reading WHERE inbox_id = ?", (mail,))


EMPTIED = (
    f"subject = '{OMITTED}', body = '{OMITTED}', in_reply_to = NULL, last_error = '', token_id = NULL,"
    " state = 'sent', failed_at = NULL, fault = NULL"
)
"""What becomes of a mail of ours: it is over, so that nothing is sent empty. Its row stays, for a mail that
comes back names it by its id, and that must not become another's.
"""


def _forget_what_went_to_him(former: Former) -> None:
    """Our mails to him, at whatever address, his tokens, and what is tallied about him.

    A member is tallied under the same name as his account (`mailflow.limits`).
    """
    db, club, marks = former.db, former.club_id, sql.marks(len(former.addresses))
    recipients = alike(values(db, club, "outbox", "recipient"), former.handle)
    text = (
        f"UPDATE outbox SET {EMPTIED}, address = '', recipient = CASE recipient WHEN '' THEN '' ELSE ? END"
        f" WHERE club_id = ? AND (address IN ({marks}) OR recipient IN ({sql.marks(len(recipients))}))"
    )
    sql.run(db, text, (former.mask.instead, club, *former.addresses, *recipients))
    his = f"FROM token WHERE club_id = ? AND (member_id = ? OR address IN ({marks}))"
    parameters = (club, former.id, *former.addresses)
    sql.run(db, f"UPDATE outbox SET token_id = NULL WHERE token_id IN (SELECT id {his})", parameters)
    sql.run(db, f"DELETE {his}", parameters)
    tallied = (member_account(former.handle), *former.addresses)
    text = f"DELETE FROM tally WHERE club_id = ? AND subject IN ({sql.marks(len(tallied))})"
    sql.run(db, text, (club, *tallied))


def _end_questions_about_him(former: Former) -> None:
    """What others were asked and that names him is asked no more: it could not be carried out."""
    text = "SELECT id, payload_json FROM token WHERE id > ? AND club_id = ? ORDER BY id LIMIT ?"
    for token, payload in _chunks(former, text, (former.club_id,)):
        if former.mask.is_in(payload):
            ended = (
                "UPDATE token SET payload_json = '{}',"
                " state = CASE state WHEN 'open' THEN 'superseded' ELSE state END WHERE id = ?"
            )
            sql.run(former.db, ended, (token,))


def _empty_what_others_were_told(former: Former, caused: frozenset[str]) -> None:
    """Mails to others that name him, come of a mail of his, or carry what is not searched."""
    text = (
        "SELECT id, cause, subject, body, EXISTS (SELECT 1 FROM outbox_part p WHERE p.outbox_id = outbox.id)"
        " FROM outbox WHERE id > ? AND club_id = ? AND state <> 'queued' ORDER BY id LIMIT ?"
    )
    for mail, cause, subject, body, carries in _chunks(former, text, (former.club_id,)):
        his = ":".join(cause.split(":")[:2]) in caused
        if his or carries or former.mask.is_in(subject) or former.mask.is_in(body):
            sql.run(former.db, f"UPDATE outbox SET {EMPTIED} WHERE id = ?", (mail,))


def _chunks(former: Former, text: str, params: Sequence[Any]) -> Iterator[sql.Row]:
    """The rows of a query whose first column is a growing id, a few at a time."""
    last = 0
    while found := sql.rows(former.db, text, (last, *params, _CHUNK)):
        yield from found
        last = found[-1][0]
