"""What our border says of a sender: T-2, T-3, hazards B11, E22-E29 (TRUST § 1)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parsers import authentication
from parsers.authentication import Border, Verdict, verdict_of
from parsers.authentication_results import MethodResult, read_results
from parsers.letter import read_letter
from parsers.received import written_by

ANNA = "anna@example.org"
OURS = Border(frozenset({"mx.club"}), ("mx.club", "2002:a05:*", "*.inner.club.example"))
PASS = "mx.club; dmarc=pass header.from=example.org"
FAIL = "mx.club; dmarc=fail header.from=example.org"


def mail(*headers: str, sender: str = ANNA, body: str = "COMPTE\n") -> bytes:
    """One mail of Anna's; `headers` stand above hers."""
    top = "".join(f"{header}\n" for header in headers)
    return f"{top}From: {sender}\nTo: club@club.example\nSubject: x\n\n{body}".encode().replace(
        b"\n", b"\r\n"
    )


def ar(value: str) -> str:
    return f"Authentication-Results: {value}"


def said(*headers: str, border: Border = OURS, body: str = "COMPTE\n") -> str:
    """The verdict as `finding reason`."""
    verdict = verdict_of(mail(*headers, body=body), ANNA, border)
    return f"{verdict.finding} {verdict.reason}"


def of(*values: str) -> str:
    """The verdict on a mail with these Authentication-Results on top."""
    return said(*map(ar, values))


# ---------------------------------------------------------------- what counts


@pytest.mark.parametrize(
    "value",
    [
        PASS,
        "MX.Club; DMARC=Pass header.from=Example.ORG",
        "mx.club;\n\tdkim=pass header.d=example.org header.b=aB/c+d==;\n\tdmarc=pass (p=none dis=none)"
        "\n header.from=example.org",
        "mx.club; spf=pass (sender is \\) authorised (really)) smtp.mailfrom=a@example.org;"
        " dmarc=pass header.from=example.org",
        'mx.club; dmarc=pass reason="all; is = well" header.from="example.org"',
        "mx.club; dmarc/1=pass header.from=anna@example.org policy.published-domain-policy=none;",
        "mx.club; dkim=pass header.d=a.example; dkim=fail header.d=b.example; dmarc=pass"
        " header.from=example.org",
        "mx.club; x-tls=pass smtp.version=TLSv1.3; dnswl=none dns.zone=list.example;"
        " dmarc=pass header.from=example.org",
    ],
)
def test_a_pass_of_our_border_for_the_domain_of_from_counts(value):
    assert of(value) == "pass dmarc"


@pytest.mark.parametrize(
    "values",
    [
        (FAIL,),
        ("mx.club; spf=pass smtp.mailfrom=evil.net; dmarc=fail (p=reject) header.from=example.org",),
        # RFC 8601 lets each filter write a header of its own; a forged pass beside it hides nothing.
        ("mx.club; dkim=none", FAIL),
        (FAIL, PASS),
        (PASS, FAIL),
        (FAIL, "mx.club; unreadable"),
        ("mx.club; dmarc=pass header.from=example.org; dmarc=fail header.from=example.org",),
    ],
)
def test_t2_a_fail_of_our_border_always_counts(values):
    assert of(*values) == "fail dmarc"


# ---------------------------------------------------------------- T-3: forged


@pytest.mark.parametrize(
    "authserv_id",
    [
        "mx.evil.example", "x.mx.club", "mx.club.evil.net", "mx.clu", "club",
        "mx.club 1", "mx.club 2", "mx.club/1", "mx.club (ours)",
        "(ours) mx.club", '"mx.club"', "", " ", "\u200bmx.club", "mx.сlub",
        "mx.club.", "mx.club mx.club", "=?utf-8?q?mx.club?=",
        "dmarc=pass header.from=example.org",
    ],
)  # fmt: skip
@pytest.mark.parametrize("result", ["pass", "fail"])
def test_t3_e22_a_header_under_any_other_name_is_not_ours(authserv_id, result):
    """Version, comment, quotes or no id at all: E23, what cannot be parsed counts as absent."""
    assert of(f"{authserv_id}; dmarc={result} header.from=example.org") == "none absent"


@pytest.mark.parametrize(
    "value",
    [
        "mx.club",
        "mx.club; ",
        "mx.club; dmarc",
        "mx.club; dmarc=",
        "mx.club; dmarc=pass action=none header.from=example.org",
        "mx.club; dmarc=pass header.from=example.org trailing",
        "mx.club; dmarc=pass header.from=example.org (open",
        "mx.club; dmarc=pass header.from=example.org shut)",
        'mx.club; dmarc=pass header.from="example.org',
        "mx.club; dmarc=pass header.from=example.org; ; spf=pass",
        "mx.club; dmarc/2=pass header.from=example.org",
        "mx.club; dmarc=pass header.from=example.org\x00",
        "mx.club; dmarc=pass header.from=exämple.org",
        "mx.club; dmarc=pass header.from=example.org" + " (" * 6 + ")" * 6,
        "mx.club; dmarc=pass header.from=example.org" + "; spf=none" * 51,
        "mx.club; dmarc=pass header.from=example.org (" + "x" * 5000 + ")",
        "mx.club; none; dmarc=pass header.from=example.org",
        # Only the library refuses this one: both readers must agree.
        "mx.club; dmarc=pass reason= header.from=example.org",
    ],
)
def test_e23_what_is_not_to_the_letter_of_the_rfc_counts_as_absent(value):
    assert of(value) == "none unreadable"


def test_the_bounds_of_a_header_count_from_both_sides():
    assert of(PASS + " (" * 5 + ")" * 5) == "pass dmarc"
    assert of(PASS + "; spf=none" * 49) == "pass dmarc"
    assert of(PASS + "; spf=none" * 50) == "none unreadable"
    assert of(f"{PASS} ({'x' * (4096 - len(PASS) - 3)})") == "pass dmarc"
    assert of(f"{PASS} ({'x' * (4096 - len(PASS) - 2)})") == "none unreadable"


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ((PASS, PASS), "twice"),
        ((PASS, "mx.club; none"), "twice"),
        (("mx.club; dmarc=pass header.from=example.org; dmarc=pass header.from=example.org",), "no_dmarc"),
        (("mx.club; dmarc=pass header.from=example.org header.from=example.org",), "other_domain"),
        (("mx.club; none",), "no_dmarc"),
        (("mx.club; spf=pass smtp.mailfrom=evil.net",), "no_dmarc"),
        (("mx.club; dkim=pass header.d=example.org",), "no_dmarc"),
        (("mx.club; dmarc=pass",), "other_domain"),
        (("mx.club; dmarc=pass header.from=evil.net",), "other_domain"),
        (("mx.club; dmarc=pass header.from=sub.example.org",), "other_domain"),
        (("mx.club; dmarc=fail header.from=evil.net",), "other_domain"),
        (("mx.club; dmarc=none header.from=example.org",), "undecided"),
        (("mx.club; dmarc=temperror header.from=example.org",), "undecided"),
        (("mx.club; dmarc=bestguesspass header.from=example.org",), "undecided"),
    ],
)  # fmt: skip
def test_what_does_not_speak_of_this_sender_alone_proves_nothing(values, reason):
    """T-3, E24: an SPF pass for the attacker's own domain says nothing of From; E25: nor does an SPF fail."""
    assert of(*values) == f"none {reason}"


@pytest.mark.parametrize(
    ("value", "verdict"),
    [
        (f'{FAIL}; spf=pass smtp.mailfrom="x; dmarc=pass header.from=example.org"@evil.net', "fail dmarc"),
        ('mx.club; spf=pass smtp.mailfrom="x; dmarc=pass header.from=example.org"@evil.net', "none no_dmarc"),
        ("mx.club; spf=pass (x; dmarc=pass header.from=example.org) smtp.mailfrom=evil.net", "none no_dmarc"),
        # A border that quotes nothing: what was slipped in contradicts, or does not parse.
        (f"mx.club; spf=pass smtp.mailfrom=x;dmarc=pass header.from=example.org;y@evil.net; {FAIL[9:]}",
         "none unreadable"),
        (f"mx.club; spf=pass smtp.mailfrom=x;dmarc=pass header.from=example.org; {FAIL[9:]}", "fail dmarc"),
        ('mx.club; spf=pass smtp.mailfrom=x"@e.net; dmarc=pass header.from=example.org', "none unreadable"),
        ("mx.club; spf=pass smtp.mailfrom=a(@e.net; dmarc=pass header.from=example.org", "none unreadable"),
        ("mx.club; spf=pass smtp.helo=\\; dmarc=pass header.from=example.org", "none unreadable"),
    ],
)  # fmt: skip
def test_t3_what_is_injected_through_the_envelope_gives_no_pass(value, verdict):
    assert of(value) == verdict


# ---------------------------------------------------------------- T-3: the place


OUTSIDE = (
    "Received: from laptop (dsl.example [192.0.2.1]) by smtp.example.org with ESMTPSA id 1; Tue, 6 Jan 2026"
)
INSIDE = "Received: from smtp.example.org (smtp.example.org [192.0.2.2]) by mx.club with ESMTPS; Tue"


@pytest.mark.parametrize(
    ("headers", "verdict"),
    [
        ((ar(PASS), INSIDE, OUTSIDE), "pass dmarc"),
        ((INSIDE, ar(PASS), OUTSIDE), "pass dmarc"),
        ((INSIDE, ar(FAIL), OUTSIDE), "fail dmarc"),
        ((INSIDE, OUTSIDE, ar(PASS)), "none absent"),
        ((INSIDE, OUTSIDE, ar(FAIL)), "none absent"),
        ((OUTSIDE, ar(PASS)), "none absent"),
        ((ar(FAIL), INSIDE, OUTSIDE, ar(PASS)), "fail dmarc"),
        ((ar("mx.other; dmarc=pass header.from=example.org"), INSIDE, OUTSIDE, ar(PASS)), "none absent"),
        (("Received: by 2002:a05:7300:b0 with SMTP id q; Tue", INSIDE, ar(PASS), OUTSIDE), "pass dmarc"),
        (("Received: by 2003:a05:7300:b0 with SMTP id q; Tue", INSIDE, ar(PASS), OUTSIDE), "none absent"),
        (("Received: from mx.club by s3.inner.club.example with LMTP; Tue", ar(PASS)), "pass dmarc"),
        (("Received: from mx.club by inner.club.example with LMTP; Tue", ar(PASS)), "none absent"),
        (("Received: from a by mx.club.evil.net with SMTP; Tue", ar(PASS)), "none absent"),
        (("Received: from by mx.club by mx.evil.net with SMTP; Tue", ar(PASS)), "none absent"),
        (("Received: from x (by mx.club) by mx.evil.net with SMTP; Tue", ar(PASS)), "none absent"),
        (("Received: from x (a by mx.club with SMTP; Tue", ar(PASS)), "none absent"),
        (("Received: nonsense", ar(PASS)), "none absent"),
        (("Received:", ar(PASS)), "none absent"),
    ],
)  # fmt: skip
def test_t3_a_header_counts_only_above_every_received_line_of_others(headers, verdict):
    assert said(*headers) == verdict


def test_without_hosts_the_header_must_stand_above_every_received_line():
    strict = Border(frozenset({"mx.club"}))
    assert said(ar(PASS), INSIDE, border=strict) == "pass dmarc"
    assert said(INSIDE, ar(PASS), border=strict) == "none absent"


def test_e26_a_border_may_sign_with_several_names():
    both = Border(frozenset({"mx1.club", "mx2.club"}))
    for number in (1, 2):
        value = f"mx{number}.club; dmarc=pass header.from=example.org"
        assert said(ar(value), border=both) == "pass dmarc"


@pytest.mark.parametrize("headers", [(), (ar(PASS),), (ar(FAIL),), (ar("; dmarc=pass"),)])
def test_where_no_border_is_configured_nothing_is_trusted(headers):
    assert said(*headers, border=Border()) == "none no_border"
    assert said(*headers, border=Border(hosts=("mx.club",))) == "none no_border"


def test_a_mail_without_a_single_sender_has_no_verdict():
    raw = mail(ar(FAIL), sender=f"{ANNA}, bela@example.org")
    letter = read_letter(raw)
    assert (letter.sender, letter.reason) == (None, "from_many")
    assert verdict_of(raw, letter.sender, OURS).reason == "unreadable_mail"
    assert verdict_of(b"Nonsense\r\n" + mail(ar(PASS)), ANNA, OURS).reason == "unreadable_mail"


@pytest.mark.parametrize(
    ("value", "host"),
    [
        (b"from a by b.example with SMTP; Tue", "b.example"),
        (b"from a (x [192.0.2.1]) by B.Example (Postfix) with ESMTP id 1", "b.example"),
        (b"from unknown (HELO x) (192.0.2.1) by b.example with SMTP", "b.example"),
        (b"by b.example with LMTP", "b.example"),
        (b"(qmail 1 invoked by uid 89); Tue", None),
        (b"from a with SMTP by b.example; Tue", None),
        (b"from a; by b.example", None),
        (b"from a (\\) by mx.example) by b.example; x", "b.example"),
        (b"from a " + b"(" * 11 + b")" * 11 + b" by b.example with SMTP", None),
        (b"from a ) by b.example with SMTP", None),
        (b"by", None),
        (b"", None),
    ],
)
def test_a_received_line_is_of_the_host_after_by(value, host):
    assert written_by(value) == host


# ---------------------------------------------------------------- what a signature covers


SIGNED = "v=1; a=rsa-sha256; c=relaxed/relaxed; d=example.org; s=k; h=from:to:subject; bh=YQ==; b=YQ=="


def signed(tags: str) -> str:
    return f"DKIM-Signature: {tags}"


@pytest.mark.parametrize(
    ("signatures", "verdict"),
    [
        ((SIGNED,), "pass dmarc"),
        ((SIGNED, SIGNED), "pass dmarc"),
        ((f"{SIGNED}; l=8",), "pass dmarc"),
        ((f"{SIGNED}; l=7",), "none dkim_partial"),
        ((f"{SIGNED}; l=0",), "none dkim_partial"),
        ((SIGNED, f"{SIGNED}; l=7"), "none dkim_partial"),
        ((f"{SIGNED}; l=99999999999999999999",), "pass dmarc"),
        ((f"{SIGNED}; l=-1",), "none dkim_unreadable"),
        ((f"{SIGNED}; l=1; l=9999",), "none dkim_unreadable"),
        ((SIGNED.replace("from:to:subject", "From : To : Subject"),), "pass dmarc"),
        ((SIGNED.replace(":subject", ""),), "none dkim_uncovered"),
        ((SIGNED.replace("from:", ""),), "none dkim_uncovered"),
        ((SIGNED.replace("relaxed/relaxed", "odd/odd") + "; l=8",), "none dkim_unreadable"),
        ((SIGNED.replace("v=1", "v=2"),), "none dkim_unreadable"),
        ((SIGNED.replace("b=YQ==", "b="),), "none dkim_unreadable"),
        (("",), "none dkim_unreadable"),
        (("v=1; nonsense; \xff",), "none dkim_unreadable"),
        ((SIGNED,) * 20, "pass dmarc"),
        ((SIGNED,) * 21, "none dkim_unreadable"),
    ],
)
def test_e27_e28_e29_a_pass_that_words_of_others_may_hide_behind_is_none(signatures, verdict):
    """The body is 8 bytes with its line end: a signature of fewer leaves room below."""
    assert said(ar(PASS), *map(signed, signatures)) == verdict


def test_e27_text_appended_below_a_signed_length_takes_the_pass_away():
    signature = signed(f"{SIGNED}; l=8")
    assert said(ar(PASS), signature, body="COMPTE\n\n\n") == "pass dmarc"
    assert said(ar(PASS), signature, body="COMPTE\nVIREMENT 50 bela\n") == "none dkim_partial"


def test_a_fail_counts_whatever_the_signatures_look_like():
    assert said(ar(FAIL), signed(f"{SIGNED}; l=0"), signed("nonsense")) == "fail dmarc"


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("From", "from_twice"),
        ("Subject", "subject_twice"),
        ("Reply-To", "header_twice"),
        ("Message-ID", "header_twice"),
    ],
)
def test_b11_e28_a_header_laid_on_top_of_a_signed_mail_makes_it_malformed(name, reason):
    """A signature covers the lowest of equal headers, a reader shows the uppermost."""
    inner = mail(signed(SIGNED), "Message-ID: <1@example.org>", "Reply-To: anna@example.org")
    letter = read_letter(f"{name}: x <evil@example.net>\r\n".encode() + inner)
    assert (letter.kind.value, letter.reason) == ("malformed", reason)


# ---------------------------------------------------------------- never an error


@pytest.mark.parametrize("error", [ValueError, RecursionError, KeyError, AttributeError])
def test_e29_whatever_the_libraries_raise_nothing_is_proved(monkeypatch, error):
    def fail(*_: object) -> None:
        raise error("a bug of the library")

    monkeypatch.setattr("dkim.util.parse_tag_value", fail)
    assert said(ar(PASS), signed(SIGNED)) == "none dkim_unreadable"
    monkeypatch.setattr("authres.AuthenticationResultsHeader.parse_value", fail)
    assert of(PASS) == "none unreadable"


@given(st.binary(max_size=400), st.sampled_from([ANNA, None]))
def test_no_bytes_make_the_reader_raise(noise, sender):
    assert isinstance(verdict_of(noise, sender, OURS), Verdict)
    framed = b"Authentication-Results: mx.club; " + noise + b"\nDKIM-Signature: " + noise + b"\n\nx"
    assert isinstance(verdict_of(framed, sender, OURS), Verdict)


PIECES = st.sampled_from(
    ["mx.club", ";", " ", "dmarc", "=", "pass", "fail", "header.from", "example.org", "evil.net", '"', "\\",
     "(", ")", "none", "@", "/1", "reason", "spf=pass", "smtp.mailfrom=", "\t", "dkim=pass header.d=x", "."]
)  # fmt: skip


@given(st.lists(PIECES, max_size=25).map("".join))
def test_a_header_of_any_pieces_passes_only_by_a_plain_dmarc_pass(text):
    """Whatever is strung together, a pass is written there in so many words, outside quotes and comments."""
    verdict = verdict_of(mail(ar(f"mx.club; {text}")), ANNA, OURS)
    if verdict.finding == "pass":
        results = read_results(f"mx.club; {text}")
        assert results is not None
        assert [r for r in results if r.method == "dmarc"] == [
            MethodResult("dmarc", "pass", (("header.from", "example.org"),))
        ]


@pytest.mark.parametrize(
    "sign", ["(", ")", '"', "\\", ";", "=", " ", "a.b=c ", "(a)", "\\\\", '"a"', "; a=b"]
)
def test_t24_long_rows_of_one_sign_are_read_in_bounded_steps(sign):
    value = (sign * 8000)[:8000]
    assert of(f"mx.club; {value}").startswith("none")
    assert written_by(f"from {value} by x with y".encode()) in (None, "x")


def test_t24_headers_that_a_sender_brings_along_under_our_name_are_not_all_read(monkeypatch):
    """A header of the longest kind takes the library some 50 ms: 250 of them once held the desk for 10 s."""
    read: list[str] = []
    monkeypatch.setattr(
        authentication, "read_results", lambda value: read.append(value) or read_results(value)
    )
    assert of(*[PASS] * 250) == "none twice"
    assert len(read) == authentication.STAMPS_MAX
    assert of(FAIL, *[PASS] * 250) == "fail dmarc"
    assert of(*["mx.club; spf=none"] * (authentication.STAMPS_MAX - 1), FAIL) == "fail dmarc"
