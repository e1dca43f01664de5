"""A relay that is slow, broken or hostile: all is bounded, each mail goes once or as it was (P-4, P-6)."""

from __future__ import annotations

import socket
import ssl
import threading
from base64 import b64decode
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import Any

import peewee
import pytest

from mailflow.compose import compose
from mailflow.doors.relay_session import Patience
from mailflow.doors.sender import LOSSES_MAX, Sender, deliver
from mailflow.doors.transport import NotTaken
from store.records import ClubRow

from .door_scene import CLUB, NOW, plainly, queue, relay_at, row, states
from .localhost_certificate import written
from .scripted_relay import GREETING, TAKEN, Act, Call, ScriptedRelay, playing
from .test_sender import mail_to

LATER = NOW + timedelta(minutes=2)
HASTY = Patience(connect=5, reply=1, data=1, taken=1, farewell=1)
"""For a first call that goes wrong; long enough for honest replies, short enough to wait for."""
PIPELINING = pytest.mark.parametrize("offers", [(), ("PIPELINING",)], ids=["one by one", "pipelining"])


def send(
    relay: ScriptedRelay, *addresses: str, patience: Patience | None = None, **options: Any
) -> list[str]:
    """Send a mail to each address; return what became of each."""
    transport = relay_at(relay.port, patience, **options)
    said = []
    for address in addresses or ("anna@example.org",):
        try:
            transport.send(mail_to(address), plainly(mail_to(address)))
            said.append("taken")
        except NotTaken as error:
            kind = (
                "closed"
                if error.closed
                else "lost"
                if error.lost
                else "for good"
                if error.for_good
                else "later"
            )
            said.append(f"{kind}: {error}")
        transport._patience = Patience()
    transport.close()
    return said


# ---------------------------------------------------------------- an honest one


@PIPELINING
def test_an_honest_relay_gets_each_mail_once_and_whole(offers: tuple[str, ...]) -> None:
    with playing(ScriptedRelay(offers=offers)) as relay:
        assert send(relay, "anna@example.org", "bela@example.org") == ["taken", "taken"]
    assert relay.connections == 1
    assert [(s, to) for s, to, _ in relay.taken] == [(CLUB, "anna@example.org"), (CLUB, "bela@example.org")]
    assert relay.taken[0][2] == plainly(mail_to("anna@example.org"))
    assert relay.heard[-1] == "QUIT"


@PIPELINING
def test_a_refused_recipient_delays_no_other(offers: tuple[str, ...]) -> None:
    """P-6. A relay that wants the mail all the same gets none, and nothing of one mail gets into another."""
    script: dict[str, Act | list[Act]] = {"RCPT TO:<bela": b"550 5.1.1 unknown <bela@example.org>\r\n"}
    with playing(ScriptedRelay(script, offers)) as relay:
        said = send(relay, "anna@example.org", "bela@example.org", "carl@example.org")
    assert said == ["taken", "for good: 550 5.1.1 unknown (address)", "taken"]
    assert [to for _, to, _ in relay.taken] == ["anna@example.org", "carl@example.org"]
    assert [raw.count(b"Message-ID") for _, _, raw in relay.taken] == [1, 1]


@PIPELINING
@pytest.mark.parametrize(
    ("at", "reply", "kind"),
    [
        ("RCPT", b"450 4.7.1 greylisted\r\n", "later"),
        ("RCPT", b"452-4.2.2 the mailbox\r\n452 4.2.2 is full\r\n", "later"),
        ("RCPT", b"550 5.1.1 no such user\r\n", "for good"),
        ("DATA", b"451 4.3.0 not now\r\n", "later"),
        ("DATA", b"554 5.7.1 no\r\n", "for good"),
        (TAKEN, b"451 4.3.0 not now\r\n", "later"),
        (TAKEN, b"554 5.7.1 spam\r\n", "for good"),
        ("MAIL", b"552 5.3.4 too big\r\n", "for good"),
        ("MAIL", b"451 4.7.1 not now\r\n", "later"),
        ("MAIL", b"550 5.7.1 not your address\r\n", "closed"),
        ("MAIL", b"530 5.7.0 log in first\r\n", "closed"),
        ("RCPT", b"530 5.7.0 log in first\r\n", "closed"),
        ("RCPT", b"421 4.4.2 closing\r\n", "lost"),
        ("EHLO", b"550 go away\r\n", "closed"),
        (GREETING, b"554 no service here\r\n", "closed"),
        (GREETING, b"421 too busy\r\n", "closed"),
    ],
)  # fmt: skip
def test_what_a_refusal_means_hangs_on_its_place_and_code(
    offers: tuple[str, ...], at: str, reply: bytes, kind: str
) -> None:
    with playing(ScriptedRelay({at: reply}, offers)) as relay:
        (said,) = send(relay)
    assert said.startswith(f"{kind}: {reply[:3].decode()}")
    assert relay.taken == []


def test_with_pipelining_the_envelope_goes_at_one_go() -> None:
    """RFC 2920: the commands come before any of them is answered."""
    gone: list[bytes] = []

    def listens(call: Call) -> None:
        gone.append(call.unread)
        call.say(b"250 OK\r\n")

    with playing(ScriptedRelay({"MAIL": listens}, ("PIPELINING",))) as relay:
        transport = relay_at(relay.port)
        with suppress(NotTaken):
            transport.send(mail_to(), plainly(mail_to()))
        transport.close()
    assert gone == [b"RCPT TO:<anna@example.org>\r\nDATA\r\n"]


@pytest.mark.parametrize(
    "body",
    [
        b".\r\n",
        b"..\r\n.\r\n",
        b".\r\n.\r\n.hidden\r\n",
        b"no end",
        b"",
        b"a\nb\rc\r\n",
        b"\r\n.\nMAIL FROM:<x>\r\n",
    ],
)
def test_no_body_ends_its_mail_early(body: bytes) -> None:
    """Nor does a bare line end leave us, which the next server might take for one (T-33)."""
    raw = b"Subject: x\r\n\r\n" + body
    with playing(ScriptedRelay()) as relay:
        transport = relay_at(relay.port)
        transport.send(mail_to(), raw)
        transport.close()
    wanted = raw.replace(b"\r\n", b"\n").replace(b"\r", b"\n").replace(b"\n", b"\r\n")
    ((_, _, got),) = relay.taken
    assert got == (wanted if wanted.endswith(b"\r\n") else wanted + b"\r\n")


@pytest.mark.parametrize(
    "address",
    [
        "anna@example.org>\r\nRCPT TO:<evil@example.net",
        "a b@example.org",
        "anna@example.org\n",
        "<>",
        "",
        "anna",
        "@x",
        "a@",
    ],
)
def test_an_address_that_is_more_than_one_is_sent_nowhere(address: str) -> None:
    """T-26."""
    with playing(ScriptedRelay()) as relay:
        said = send(relay, address, "bela@example.org")
    assert said == ["for good: the address cannot stand in a mail's envelope", "taken"]
    assert not [line for line in relay.heard if "evil" in line]


def test_what_the_relay_offers_is_used() -> None:
    with playing(ScriptedRelay(offers=("SIZE 1000", "8bitmime", "smtputf8"))) as relay:
        transport = relay_at(relay.port)
        transport.send(mail_to("josé@exämple.org"), "Subject: é\r\n\r\n".encode())
        transport.close()
    assert relay.heard[1:3] == [
        "MAIL FROM:<club@example.org> SIZE=15 BODY=8BITMIME SMTPUTF8",
        "RCPT TO:<josé@xn--exmple-cua.org>",
    ]


def test_a_relay_without_smtputf8_takes_no_such_address() -> None:
    with playing(ScriptedRelay()) as relay:
        assert send(relay, "josé@example.org", "bela@example.org") == [
            "for good: the server takes no address with such letters (RFC 6531)",
            "taken",
        ]


# ---------------------------------------------------------------- slow ones and broken ones


def dribbles(call: Call) -> None:
    """A byte now and then, each in time, and never a line."""
    pause = threading.Event()
    while True:
        call.say(b"2")
        pause.wait(0.05)


def goes_on_and_on(call: Call) -> None:
    while True:
        call.say(b"250-and\r\n" * 100)


def says_a_giant_line(call: Call) -> None:
    call.say(b"2" * 10_000_000 + b"\r\n")


def hangs_up(call: Call) -> None:
    call.hang_up()


def hangs_up_in_the_line(call: Call) -> None:
    call.say(b"250-rel")
    call.hang_up()


def waits(call: Call) -> None:
    call.wait()


BAD: list[Act] = [
    dribbles, goes_on_and_on, says_a_giant_line, hangs_up, hangs_up_in_the_line, waits,
    b"hello, world\r\n", b"\r\n", b"\x00\xff\x00\r\n", b"25\r\n", b"999 what\r\n", b"250-one\r\n550 two\r\n",
    b"2500 x\r\n",
]  # fmt: skip


@pytest.mark.parametrize("act", BAD, ids=lambda act: getattr(act, "__name__", repr(act)))
@pytest.mark.parametrize("at", [GREETING, "EHLO", "MAIL", "RCPT", "DATA", TAKEN])
def test_a_relay_that_breaks_off_anywhere_costs_a_bounded_wait_and_no_mail(at: str, act: Act) -> None:
    """The first call goes wrong, the second is honest."""
    with playing(ScriptedRelay({at: [act]})) as relay:
        first, second = send(relay, "anna@example.org", "bela@example.org", patience=HASTY)
    assert first.startswith("closed: " if at in (GREETING, "EHLO") else "lost: "), first
    assert second == "taken"
    assert relay.connections == 2


@pytest.mark.parametrize("act", BAD, ids=lambda act: getattr(act, "__name__", repr(act)))
def test_a_relay_that_breaks_off_in_pipelined_replies_is_bounded_too(act: Act) -> None:
    with playing(ScriptedRelay({"RCPT": [act]}, ("PIPELINING",))) as relay:
        first, second = send(relay, "anna@example.org", "bela@example.org", patience=HASTY)
    assert first.startswith("lost: ")
    assert second == "taken"


def test_a_relay_that_takes_no_bytes_is_bounded() -> None:
    """It says 354 and reads nothing."""
    over = threading.Event()

    def reads_nothing(call: Call) -> None:
        call.say(b"354 go ahead\r\n")
        over.wait(30)
        call.hang_up()

    with playing(ScriptedRelay({"DATA": reads_nothing})) as relay:
        transport = relay_at(relay.port, HASTY)
        with pytest.raises(NotTaken) as told:
            transport.send(mail_to(), b"Subject: x\r\n\r\n" + (b"x" * 998 + b"\r\n") * 30_000)
        over.set()
        transport.close()
    assert told.value.lost


def test_a_relay_that_hangs_up_in_the_middle_of_the_bytes_is_called_again() -> None:
    def reads_some(call: Call) -> None:
        call.say(b"354 go ahead\r\n")
        call.hear()
        call.hang_up()

    with playing(ScriptedRelay({"DATA": [reads_some]})) as relay:
        first, second = send(relay, "anna@example.org", "anna@example.org")
    assert first.startswith("lost: ")
    assert second == "taken"


def test_a_mail_whose_250_was_lost_goes_again_as_the_same_bytes(db: peewee.Database, club: ClubRow) -> None:
    """P-4: the same Message-ID too, so that the member's own server may know it."""
    got: list[bytes] = []

    def takes_and_says_nothing(call: Call) -> None:
        got.append(b"")
        call.hang_up()

    queue(db, club.id, "anna@example.org")
    made: list[bytes] = []

    def makes(mail: Any) -> bytes:
        made.append(compose(mail, club, None))
        return made[-1]

    with playing(ScriptedRelay({TAKEN: [takes_and_says_nothing]})) as relay:
        assert deliver(db, club.id, makes, relay_at(relay.port, HASTY), LATER) == 0
        assert row(db, "state") == "queued"
        assert deliver(db, club.id, makes, relay_at(relay.port), LATER + timedelta(minutes=1)) == 1
    assert made[0] == made[1] == relay.taken[0][2]
    assert (row(db, "state"), row(db, "attempts")) == ("sent", 2)


def test_a_mail_at_which_the_relay_breaks_off_delays_no_other(db: peewee.Database, club: ClubRow) -> None:
    """P-6: the conversation is begun anew for the next one."""
    queue(db, club.id, "anna@example.org", "bela@example.org", "carl@example.org")
    with playing(ScriptedRelay({"RCPT TO:<anna": hangs_up})) as relay:
        assert deliver(db, club.id, plainly, relay_at(relay.port), LATER) == 2
    assert states(db)["anna@example.org"] == "queued"
    assert relay.connections == 2


def test_a_relay_that_breaks_off_at_every_mail_is_left_alone_for_a_while(
    db: peewee.Database, club: ClubRow
) -> None:
    queue(db, club.id, *(f"m{n}@example.org" for n in range(30)))
    now = [LATER]
    with playing(ScriptedRelay({"RCPT": hangs_up})) as relay:
        sender = Sender(db, club.id, plainly, relay_at(relay.port), lambda: now[0], "here")
        assert sender.run() == 0
        assert relay.connections == LOSSES_MAX
        sender.run()
        assert relay.connections == LOSSES_MAX, "it rests"
        relay.script = {}
        now[0] += timedelta(minutes=1)
        assert sender.run() == 30
    assert set(states(db).values()) == {"sent"}


def test_a_dead_relay_is_called_less_and_less_often(db: peewee.Database, club: ClubRow) -> None:
    queue(db, club.id, *(f"m{n}@example.org" for n in range(9)))
    now, calls = [LATER], []
    with playing(ScriptedRelay({GREETING: b"421 down\r\n"})) as relay:
        sender = Sender(db, club.id, plainly, relay_at(relay.port), lambda: now[0], "here")
        for minute in range(60):
            before = relay.connections
            sender.run()
            if relay.connections > before:
                calls.append(minute)
            now[0] += timedelta(minutes=1)
        relay.script = {}
        now[0] += timedelta(minutes=15)
        assert sender.run() == 9, "a quarter of an hour after it is back all is sent"
    assert calls == [0, 1, 3, 8, 23, 38, 53]
    assert set(states(db).values()) == {"sent"}


# ---------------------------------------------------------------- TLS


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    return written(tmp_path / "tls")


@pytest.fixture
def certificate(files: tuple[Path, Path]) -> ssl.SSLContext:
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(*files)
    return context


@pytest.mark.parametrize("tls", ["starttls", "implicit"])
def test_mails_go_through_tls(certificate: ssl.SSLContext, files: tuple[Path, Path], tls: str) -> None:
    offers = ("STARTTLS",) if tls == "starttls" else ()
    with playing(ScriptedRelay({}, offers, certificate, implicit=tls == "implicit")) as relay:
        assert send(relay, tls=tls, tls_ca=files[0]) == ["taken"]
    assert len(relay.taken) == 1


@pytest.mark.parametrize("tls", ["starttls", "implicit"])
def test_a_certificate_that_nobody_vouches_for_gets_no_mail(certificate: ssl.SSLContext, tls: str) -> None:
    offers = ("STARTTLS",) if tls == "starttls" else ()
    with playing(ScriptedRelay({}, offers, certificate, implicit=tls == "implicit")) as relay:
        (said,) = send(relay, tls=tls)
    assert said.startswith("closed: the server's certificate: ")
    assert relay.taken == []


def test_a_certificate_of_another_name_gets_no_mail(
    certificate: ssl.SSLContext, files: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    real = socket.create_connection
    monkeypatch.setattr(
        socket, "create_connection", lambda place, patience: real(("127.0.0.1", place[1]), patience)
    )
    with playing(ScriptedRelay({}, ("STARTTLS",), certificate)) as relay:
        transport = relay_at(relay.port, tls="starttls", tls_ca=files[0])
        object.__setattr__(transport._relay, "host", "relay.example")
        with pytest.raises(NotTaken, match="certificate"):
            transport.send(mail_to(), plainly(mail_to()))
    assert relay.taken == []


@pytest.mark.parametrize(
    "reply", [b"454 4.7.0 not now\r\n", b"500 what\r\n", b"220 go\r\n250 injected\r\n", b"220 go\r\nxx"]
)
def test_a_starttls_that_fails_sends_nothing_in_plain_text(
    certificate: ssl.SSLContext, files: tuple[Path, Path], reply: bytes
) -> None:
    with playing(ScriptedRelay({"STARTTLS": reply}, ("STARTTLS",), certificate)) as relay:
        (said,) = send(relay, tls="starttls", tls_ca=files[0], patience=HASTY)
    assert said.startswith("closed: ")
    assert relay.taken == []
    assert not [line for line in relay.heard if line.startswith("MAIL")]


def test_a_relay_that_hides_starttls_gets_nothing(files: tuple[Path, Path]) -> None:
    with playing(ScriptedRelay()) as relay:
        assert send(relay, tls="starttls") == ["closed: the server offers no STARTTLS"]


# ---------------------------------------------------------------- login


def steps(*expected: tuple[bytes, bytes]) -> Callable[[Call], None]:
    """Go on as an AUTH exchange does: what is said, and what is heard to it, decoded."""

    def act(call: Call) -> None:
        for say, wanted in expected:
            call.say(say)
            if wanted or say.startswith(b"334"):
                assert b64decode(call.hear()) == wanted
        call.say(b"235 welcome\r\n")

    return act


def log_in(tmp_path: Path, relay: ScriptedRelay, **options: Any) -> list[str]:
    secret = tmp_path / "password"
    secret.write_text("hunter2 é\n")
    return send(relay, user="club", password_file=secret, **options)


def test_it_logs_in_by_plain(tmp_path: Path) -> None:
    with playing(ScriptedRelay({"AUTH": b"235 welcome\r\n"}, ("AUTH LOGIN PLAIN",))) as relay:
        assert log_in(tmp_path, relay) == ["taken"]
    sent = [line for line in relay.heard if line.startswith("AUTH")]
    assert [line.split()[:2] for line in sent] == [["AUTH", "PLAIN"]]
    assert b64decode(sent[0].split()[2]).decode() == "\0club\0hunter2 é"


def test_it_logs_in_by_login(tmp_path: Path) -> None:
    act = steps((b"334 VXNlcm5hbWU6\r\n", b"club"), (b"334 UGFzc3dvcmQ6\r\n", "hunter2 é".encode()))
    with playing(ScriptedRelay({"AUTH": act}, ("AUTH LOGIN",))) as relay:
        assert log_in(tmp_path, relay) == ["taken"]


def test_it_logs_in_by_xoauth2(tmp_path: Path) -> None:
    with playing(ScriptedRelay({"AUTH": b"235 welcome\r\n"}, ("AUTH XOAUTH2",))) as relay:
        assert log_in(tmp_path, relay, login="xoauth2") == ["taken"]
    (line,) = [line for line in relay.heard if line.startswith("AUTH")]
    assert b64decode(line.split()[2]).decode() == "user=club\x01auth=Bearer hunter2 é\x01\x01"


def test_a_login_that_is_refused_stops_all_and_repeats_nothing(tmp_path: Path) -> None:
    """T-28: a server may say the password back."""
    script: dict[str, Act | list[Act]] = {"AUTH": b"535 5.7.8 hunter2 is wrong\r\n"}
    with playing(ScriptedRelay(script, ("AUTH PLAIN",))) as relay:
        assert log_in(tmp_path, relay) == ["closed: the login was refused with 535"]


def test_an_xoauth2_refusal_is_heard_to_its_end(tmp_path: Path) -> None:
    def explains(call: Call) -> None:
        call.say(b"334 eyJzdGF0dXMiOiI0MDAifQ==\r\n")
        assert call.hear() == b""
        call.say(b"535 5.7.8 no\r\n")

    with playing(ScriptedRelay({"AUTH": explains}, ("AUTH XOAUTH2",))) as relay:
        assert log_in(tmp_path, relay, login="xoauth2") == ["closed: the login was refused with 535"]


def test_a_token_that_is_over_is_renewed_and_tried_once_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a refresh token is for: the server says when an access token is over."""
    file = tmp_path / "oauth.toml"
    file.write_text("")
    renewed = lambda _, refused="": "new" if refused == "old" else "old"  # noqa: E731
    monkeypatch.setattr("mailflow.doors.imap_secrets.access_token", renewed)
    script: dict[str, Act | list[Act]] = {"AUTH": [b"535 5.7.8 over\r\n", b"235 welcome\r\n"]}
    with playing(ScriptedRelay(script, ("AUTH XOAUTH2",))) as relay:
        assert send(relay, user="club", oauth_file=file) == ["taken"]
    said = [b64decode(line.split()[2]).decode() for line in relay.heard if line.startswith("AUTH")]
    assert [line.partition("Bearer ")[2].strip("\x01") for line in said] == ["old", "new"]


def test_a_password_comes_from_a_variable_or_the_keyring(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLUB_PASSWORD", "hunter2")
    monkeypatch.setattr("keyring.get_password", lambda service, user: f"{service} of {user}")
    for options, secret in (
        ({"password_variable": "CLUB_PASSWORD"}, "hunter2"),
        ({"password_keyring": "mailflow"}, "mailflow of club"),
    ):
        with playing(ScriptedRelay({"AUTH": b"235 welcome\r\n"}, ("AUTH PLAIN",))) as relay:
            assert send(relay, user="club", **options) == ["taken"]
        (line,) = [line for line in relay.heard if line.startswith("AUTH")]
        assert b64decode(line.split()[2]).decode() == f"\0club\0{secret}"
