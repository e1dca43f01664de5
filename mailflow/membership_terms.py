"""How long joining and changes of identity may take, and how many of them there may be (TRUST § 1, 2)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta


@dataclass(frozen=True)
class MembershipTerms:
    """Hours, days and counts.

    stranger_mail_hours      T-31: at most one mail of ours answers the same stranger in so many hours
    invitation_days          how long the token of an invitation is good; after that it is sent anew
    application_days         how long a manager may answer an application by replying to it
    applications_per_day     cards that managers get in a day, whoever writes them
    identity_answer_hours    how long the new address, or the other person, may take to say OUI
    identity_effect_hours    TRUST § 2: how long a confirmed change can be stopped before it takes effect
    identity_open_max        changes that one member may have under way at once
    """

    stranger_mail_hours: int = 24
    invitation_days: int = 30
    application_days: int = 30
    applications_per_day: int = 10
    identity_answer_hours: int = 24
    identity_effect_hours: int = 72
    identity_open_max: int = 3

    @property
    def stranger_mail(self) -> timedelta:
        return timedelta(hours=self.stranger_mail_hours)

    @property
    def invitation(self) -> timedelta:
        return timedelta(days=self.invitation_days)

    @property
    def application(self) -> timedelta:
        return timedelta(days=self.application_days)

    @property
    def identity_answer(self) -> timedelta:
        return timedelta(hours=self.identity_answer_hours)

    @property
    def identity_effect(self) -> timedelta:
        return timedelta(hours=self.identity_effect_hours)


TERMS = MembershipTerms()
