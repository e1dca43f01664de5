"""R-TRA: VIREMENT and BANQUIERS."""

from __future__ import annotations

from mailflow.model import Club, Notice, Outcome, Refusal, Request, broken, refused
from mailflow.rules.bankers import bankers_shown
from mailflow.rules.transfers import TRANSFER_CHECKS, Payment, fulfils
from store.records import Transfer


def transfer(request: Request, club: Club) -> Outcome:
    """R-TRA-1 to R-TRA-4, R-INA-4: posted at once; the beneficiary and the giver are told.

    R-TRA-6: the two alone answer for it, and both mails say so.
    """
    payment = Payment(request.author, request.get("to", ""), request.get("amount_cents", 0))
    refusals = broken(TRANSFER_CHECKS, payment, club)
    beneficiary = payment.beneficiary(club)
    if refusals or beneficiary is None:
        return refused(*refusals)
    owed = fulfils(payment, club)
    note = request.get("note", "")
    facts = {
        "giver": request.author.handle,
        "beneficiary": beneficiary.handle,
        "amount_cents": payment.amount_cents,
        "note": note,
        "injunction": owed is not None,
    }
    done = Transfer(
        request.author.handle,
        beneficiary.handle,
        payment.amount_cents,
        note,
        None if owed is None else owed[0].id,
    )
    notice = Notice("transfer.received", (beneficiary.handle,), None, facts)
    return Outcome(changes=(done,), notices=(notice,), answer=facts)


def bankers(request: Request, club: Club) -> Outcome:
    """R-TRA-5: the bankers' list, for members whose balance is below the initial credit."""
    limit = club.rulebook.initial_credit_cents
    if request.author.balance_cents >= limit:
        figures = {"balance_cents": request.author.balance_cents, "limit_cents": limit}
        return refused(Refusal("R-TRA-5", "no_need_of_bankers", figures))
    return Outcome(answer={"bankers": bankers_shown(club, request.author)})
