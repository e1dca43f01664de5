"""R-SEC-1, TRUST § 2 class identity: which addresses a member may have, who may become manager.

The checks are applied when a change is asked for, and those of `IN_FORCE` once more when it is agreed to and
when it takes effect: three days are long, and the last word is what is so then.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from mailflow.model import Check, Club, Refusal
from mailflow.rules.accounts import is_the_clubs
from store.records import IdentityKind, Member, fold_handle


@dataclass(frozen=True)
class AddressChange:
    """What a member wants done with one of his addresses, or one that is to be his."""

    kind: IdentityKind
    member: Member
    address: str


@dataclass(frozen=True)
class RoleChange:
    """`giver`, who manages the club, makes `taker` a manager, in his own place or beside himself."""

    kind: IdentityKind
    giver: Member
    taker: Member


# ---------------------------------------------------------------- addresses


def address_is_not_the_clubs(change: AddressChange, club: Club) -> Refusal | None:
    """TRUST § 1: the club's own address is nobody's, with or without a plus part."""
    if change.kind is not IdentityKind.ADD or not is_the_clubs(change.address, club):
        return None
    return Refusal("R-SEC-1", "address_is_the_clubs", {"address": change.address})


def new_address_is_nobodys(change: AddressChange, club: Club) -> Refusal | None:
    """TRUST § 1: an address belongs to one member only, also to one who left."""
    owner = None if change.kind is not IdentityKind.ADD else club.books.handle_at(change.address)
    if owner is None:
        return None
    if owner == change.member.handle:
        return Refusal("R-SEC-1", "address_yours_already", {"address": change.address})
    return Refusal("R-SEC-1", "address_taken", {"address": change.address})


def old_address_is_his(change: AddressChange, club: Club) -> Refusal | None:
    """R-SEC-1: only what is registered can be taken away or be made the first."""
    own = club.books.addresses(change.member.handle)
    if change.kind is IdentityKind.ADD or change.address in own:
        return None
    return Refusal("R-SEC-1", "address_not_yours", {"address": change.address, "addresses": own})


def an_address_remains(change: AddressChange, club: Club) -> Refusal | None:
    """R-SEC-2: mails must have somewhere to go: neither the last address nor the primary one is removed."""
    own = club.books.addresses(change.member.handle)
    if change.kind is not IdentityKind.REMOVE or change.address != own[0]:
        return None
    if len(own) == 1:
        return Refusal("R-SEC-1", "address_is_the_last", {"address": change.address})
    return Refusal("R-SEC-1", "address_is_primary", {"address": change.address, "others": own[1:]})


def address_is_not_primary_already(change: AddressChange, club: Club) -> Refusal | None:
    """R-SEC-1: nothing would change."""
    primary = club.members[fold_handle(change.member.handle)].address
    if change.kind is not IdentityKind.PRIMARY or change.address != primary:
        return None
    return Refusal("R-SEC-1", "address_primary_already", {"address": change.address})


def address_was_not_asked_of_late(change: AddressChange, club: Club) -> Refusal | None:
    """T-16, T-31: an address that is nobody's is written to once a day at most, whoever asks for it."""
    asked_at = club.books.address_asked_at(change.address) if change.kind is IdentityKind.ADD else None
    if asked_at is None or club.now - asked_at >= timedelta(hours=club.caution.stranger_mail_hours):
        return None
    return Refusal("R-SEC-1", "address_asked_of_late", {"address": change.address, "asked_at": asked_at})


def change_is_not_under_way(change: AddressChange, club: Club) -> Refusal | None:
    """R-SEC-1: the same is not begun twice."""
    for one in club.books.identity_changes_of(change.member.handle):
        if (one.kind, one.address) == (change.kind, change.address):
            figures = {"address": change.address, "state": one.state.value, "due_at": one.due_at}
            return Refusal("R-SEC-1", "change_under_way", figures)
    return None


def few_changes_are_under_way(change: AddressChange, club: Club) -> Refusal | None:
    """T-16: nobody has others written to without end."""
    most = club.caution.identity_changes_max
    if len(club.books.identity_changes_of(change.member.handle)) < most:
        return None
    return Refusal("R-SEC-1", "too_many_changes_under_way", {"most": most})


def member_is_active(change: AddressChange, club: Club) -> Refusal | None:
    """R-BAN-3, R-ACC-6: he was neither banned nor left meanwhile."""
    member = club.members[fold_handle(change.member.handle)]
    return None if member.active else Refusal("R-BAN-3", "person_not_active", {"handle": member.handle})


def author_writes_from_his_primary_address(change: AddressChange, club: Club) -> Refusal | None:
    """TRUST § 2: the first OUI is that of the old address, to which the question goes as the answer does.

    Were it asked of any of his addresses, whoever has got at one of them could take the member over.
    """
    return _from_primary(change.member, club)


def _from_primary(author: Member, club: Club) -> Refusal | None:
    """`author` bears the address that he wrote from."""
    primary = club.members[fold_handle(author.handle)].address
    if author.address == primary:
        return None
    return Refusal("R-SEC-1", "not_from_primary", {"primary": primary, "address": author.address})


ADDRESS_IN_FORCE: tuple[Check[AddressChange], ...] = (
    member_is_active,
    address_is_not_the_clubs,
    new_address_is_nobodys,
    old_address_is_his,
    an_address_remains,
    address_is_not_primary_already,
)
ADDRESS_CHECKS: tuple[Check[AddressChange], ...] = (
    author_writes_from_his_primary_address,
    *ADDRESS_IN_FORCE,
    change_is_not_under_way,
    few_changes_are_under_way,
    address_was_not_asked_of_late,
)


# ---------------------------------------------------------------- roles


def giver_manages(change: RoleChange, club: Club) -> Refusal | None:
    """R-BAN-1: only who is a manager can make another one; a banned manager is none."""
    giver = club.members[fold_handle(change.giver.handle)]
    return None if giver.manages else Refusal("R-BAN-1", "giver_not_manager", {"handle": giver.handle})


def taker_is_another(change: RoleChange, club: Club) -> Refusal | None:
    """R-SEC-1: to oneself nothing is handed over."""
    if change.taker.handle != change.giver.handle:
        return None
    return Refusal("R-SEC-1", "role_to_oneself", {})


def taker_is_active(change: RoleChange, club: Club) -> Refusal | None:
    """R-BAN-1: a banned member can be no manager, and one who left none either."""
    taker = club.members[fold_handle(change.taker.handle)]
    return None if taker.active else Refusal("R-BAN-1", "person_not_active", {"handle": taker.handle})


def taker_is_no_manager(change: RoleChange, club: Club) -> Refusal | None:
    """R-SEC-1: nothing would change."""
    taker = club.members[fold_handle(change.taker.handle)]
    if not taker.manages or taker.handle == change.giver.handle:
        return None
    return Refusal("R-SEC-1", "manager_already", {"handle": taker.handle})


def giver_writes_from_his_primary_address(change: RoleChange, club: Club) -> Refusal | None:
    """TRUST § 2: as for a change of addresses."""
    return _from_primary(change.giver, club)


def no_role_is_under_way(change: RoleChange, club: Club) -> Refusal | None:
    """R-SEC-1: one at a time, so that nobody confirms two that contradict each other."""
    for one in club.books.identity_changes_of(change.giver.handle):
        if one.kind.is_role:
            figures = {"handle": one.other, "state": one.state.value, "due_at": one.due_at}
            return Refusal("R-SEC-1", "role_under_way", figures)
    return None


ROLE_IN_FORCE: tuple[Check[RoleChange], ...] = (
    giver_manages,
    taker_is_another,
    taker_is_active,
    taker_is_no_manager,
)
ROLE_CHECKS: tuple[Check[RoleChange], ...] = (
    giver_writes_from_his_primary_address,
    *ROLE_IN_FORCE,
    no_role_is_under_way,
)
