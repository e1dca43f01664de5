"""How much is too much: what is tallied about a sender, and what follows (T-7, T-16, T-20, T-30). Pure.

Everything is counted by when our mailbox received the mails. A writer with a live token whose words are
understood is never limited: no robot does that.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from mailflow.sections.trust import Caution
from store.records import Tallied

ANSWER, MISS, DECLINED, SUSPENDED, TOLD, DID = "answer", "miss", "declined", "suspended", "told", "did:"
HOUR, DAY = timedelta(hours=1), timedelta(days=1)
KEPT = timedelta(days=2)
"""After so long nothing but a suspension has any weight."""


def member_subject(handle: str) -> str:
    """Under what a member is tallied, whichever of his addresses he writes from."""
    return f"member:{handle}"


@dataclass(frozen=True)
class Conduct:
    """What is known of the sender of a mail that was received `at`."""

    tallied: tuple[Tallied, ...]
    at: datetime
    caution: Caution

    @property
    def muted(self) -> bool:
        """T-7: too many guesses within an hour."""
        return self._count(MISS, HOUR) >= self.caution.misses_per_hour_max

    @property
    def answered_enough(self) -> str | None:
        """T-16, T-30: "hour" or "day" where no more answers are due within it."""
        if self._count(ANSWER, HOUR) >= self.caution.answers_per_hour_max:
            return "hour"
        return "day" if self._count(ANSWER, DAY) >= self.caution.answers_per_day_max else None

    @property
    def is_at_last_answer(self) -> bool:
        """Whether one answer more is the last for now."""
        by_hour, by_day = self._count(ANSWER, HOUR) + 1, self._count(ANSWER, DAY) + 1
        return by_hour >= self.caution.answers_per_hour_max or by_day >= self.caution.answers_per_day_max

    @property
    def answered_again_at(self) -> datetime:
        """T-16, T-30: when answers are due again, if the one that is given now is the last for now."""
        by_hour = self._free_at(ANSWER, HOUR, self.caution.answers_per_hour_max, (self.at,))
        return max(by_hour, self._free_at(ANSWER, DAY, self.caution.answers_per_day_max, (self.at,)))

    @property
    def heard_again_at(self) -> datetime:
        """T-7: when somebody who guessed too often is heard again, if he guesses no more."""
        return self._free_at(MISS, HOUR, self.caution.misses_per_hour_max)

    @property
    def was_told(self) -> bool:
        """Whether he was told within a day that he is not heard, and how he is all the same."""
        return self._count(TOLD, DAY) > 0

    @property
    def suspended(self) -> bool:
        """T-16: he said NON so often that mails without proof are asked no more, until he writes himself.

        No longer than the reply address lives by which he can: nobody is shut out for good.
        """
        return self._count(SUSPENDED, timedelta(days=self.caution.resume_days)) > 0

    @property
    def has_declined(self) -> bool:
        return any(one.kind in (DECLINED, SUSPENDED) for one in self.tallied)

    @property
    def declines_once_more_too_often(self) -> bool:
        """Whether one more NON, now, is the one after which he is asked no more."""
        within = timedelta(hours=self.caution.declines_hours)
        return self._count(DECLINED, within) + 1 >= self.caution.declines_max

    def tapped(self, commands: Iterable[Mapping[str, Any]], fingerprint: str) -> datetime | None:
        """T-20: when one of these commands was given before, if that is only minutes ago.

        `fingerprint`: of the mail that gives them now; a copy of it gave them with it, not before.
        """
        keys = {did(command, "") for command in commands}
        mine = did_in(fingerprint)
        within = timedelta(minutes=self.caution.double_tap_minutes)
        times = [
            one.at
            for one in self.tallied
            if one.kind.startswith(DID) and self.at - one.at < within
            if one.kind[: -len(mine)] in keys and not one.kind.endswith(mine)
        ]
        return max(times, default=None)

    @property
    def stale(self) -> bool:
        """Whether something is kept that has no weight any more."""
        return any(self.at - one.at > KEPT and one.kind != SUSPENDED for one in self.tallied)

    def _free_at(
        self, kind: str, within: timedelta, most: int, besides: tuple[datetime, ...] = ()
    ) -> datetime:
        """When fewer than `most` of a kind lie within a span that ends there; now, where they do already."""
        times = sorted([*(one.at for one in self.tallied if one.kind == kind), *besides])
        return max(self.at, _whole_minute(times[-most] + within)) if len(times) >= most else self.at

    def _count(self, kind: str, within: timedelta) -> int:
        return sum(one.kind == kind and self.at - one.at < within for one in self.tallied)


def _whole_minute(at: datetime) -> datetime:
    """The full minute that is not before an instant: what is told without seconds must not be too early."""
    full = at.replace(second=0, microsecond=0)
    return full if full == at else full + timedelta(minutes=1)


def did(command: Mapping[str, Any], fingerprint: str) -> str:
    """The kind under which a command of a mail is tallied: equal for equal commands; no word is in it."""
    said = json.dumps([command["verb"], command["arguments"]], sort_keys=True, default=str)
    return DID + hashlib.sha256(said.encode()).hexdigest()[:24] + (did_in(fingerprint) if fingerprint else "")


def did_in(fingerprint: str) -> str:
    """The end of such a kind: the mail."""
    return f":{fingerprint[:24]}"
