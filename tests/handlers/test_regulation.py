"""REGLE, REGLEMENT, PLAINTE, ANNONCE, AIDE: effects and who is told."""

from tests.club import FRIENDS, club, figures, no, told


def test_a_new_version_is_told_to_all_members_from_what_to_what():
    """R-REG-1: banned ones and the author included; those who left not."""
    scene = club("bela", "carl", "dora").banned("carl")
    scene.done("dora", "QUITTE")
    said = scene.later(days=1).done(
        "anna", "REGLE", settings={"Seuil": "60", "délai": "5"}, reason="prudence"
    )
    assert told(said) == ["rulebook.changed: anna bela carl"]
    shown = {
        "version": 2,
        "by": "anna",
        "reason": "prudence",
        "changed": [
            {"word": "seuil", "name": "reserve_threshold_cents", "before": 50_00, "after": 60_00},
            {"word": "delai", "name": "dispute_window_days", "before": 7, "after": 5},
        ],
    }
    assert shown.items() <= said.notices[0].facts.items()
    version = scene.club.books.rulebook_version(2)
    assert (version.author, version.reason, version.since) == ("anna", "prudence", scene.now)
    assert scene.club.rulebook.reserve_threshold_cents == 60_00


def test_the_older_version_is_kept():
    """R-REG-1."""
    scene = club("bela")
    scene.done("anna", "REGLE", settings={"seuil": "60"}, reason="prudence")
    assert scene.club.books.rulebook_version(1).values == FRIENDS.to_json()


def test_thresholds_apply_at_once():
    """R-REG-1, R-TRA-2: what passed under the old reserve does not under the new."""
    scene = club("anna", bela=100_00)
    assert no(scene.would("anna", "VIREMENT", amount_cents=100_00, to="bela")) == []
    scene.done("anna", "REGLE", settings={"seuil": "101"}, reason="prudence")
    assert no(scene.would("anna", "VIREMENT", amount_cents=100_00, to="bela")) == [
        "R-TRA-2 giver_below_reserve"
    ]


def test_a_change_that_changes_nothing_or_makes_no_sense_is_refused():
    """R-REG-1."""
    scene = club("bela")
    assert no(scene.say("anna", "REGLE", settings={"seuil": "50"}, reason="x")) == [
        "R-REG-1 nothing_to_amend"
    ]
    assert no(scene.say("anna", "REGLE", settings={}, reason="x")) == ["R-REG-1 nothing_to_amend"]
    assert no(scene.say("anna", "REGLE", settings={"delai": "0"}, reason="x")) == [
        "R-REG-1 rulebook_unusable"
    ]
    assert scene.club.rulebook_version == 1


def test_reglement_shows_the_version_in_force_with_its_date_and_reason():
    """R-REG-1."""
    scene = club("bela").later(days=2)
    scene.done("anna", "REGLE", settings={"seuil": "60"}, reason="prudence")
    answer = scene.done("bela", "REGLEMENT").answer
    assert (answer["version"], answer["since"], answer["reason"]) == (2, scene.now, "prudence")


def test_a_complaint_goes_to_the_managers_only_and_is_numbered():
    """R-REG-2: the sender gets its number, the member it is about hears nothing."""
    scene = club("bela", "carl", manager=("anna", "dora"))
    said = scene.done("bela", "PLAINTE", member="CARL", reason="he shouts")
    assert told(said) == ["complaint.received: anna dora"]
    shown = {"number": 1, "author": "bela", "about": "carl", "text": "he shouts"}
    assert shown.items() <= said.answer.items()
    assert scene.done("carl", "PLAINTE", member="bela", reason="he sulks").answer["number"] == 2


def test_banned_members_may_complain_and_be_complained_of():
    """R-REG-2, R-BAN-3; a banned manager is not written to."""
    scene = club("bela", manager=("anna", "dora")).banned("bela").banned("dora", by="anna")
    assert told(scene.done("bela", "PLAINTE", member="dora", reason="unfair")) == ["complaint.received: anna"]


def test_a_complaint_about_nobody_is_refused():
    """R-REG-2."""
    said = club("bela").say("bela", "PLAINTE", member="annna", reason="x")
    assert no(said) == ["R-REG-2 member_unknown"]
    assert figures(said, "member_unknown")["nearest"] == ["anna"]


def test_an_announcement_goes_to_all_other_members():
    """The manager's words, to banned members too; he himself gets the count."""
    scene = club("bela", "carl").banned("carl")
    said = scene.done("anna", "ANNONCE", text="Friday at eight")
    assert told(said) == ["club.announcement: bela carl"]
    assert (said.answer["by"], said.answer["text"], said.answer["count"]) == ("anna", "Friday at eight", 2)


def test_help_is_about_a_topic_or_all_and_the_club_knows_its_forum():
    """R-REG-3: questions belong to the forum, which the help mail names from the picture."""
    scene = club("bela")
    assert scene.done("bela", "AIDE").answer["topic"] is None
    assert scene.done("bela", "AIDE", topic="VIREMENT").answer["topic"] == "VIREMENT"
    assert scene.club.forum == "le forum"
