"""R-TRA-5: who can lend a hand, and how far."""

from mailflow.rules.bankers import bankers, bankers_shown, capacity_cents
from tests.club import club


def capacities(scene):
    return [(m.handle, cents) for m, cents in bankers(scene.club)]


def test_banker_has_more_than_the_reserve():
    """R-TRA-5: a cent above it makes one, the reserve itself does not."""
    assert capacities(club(anna=0, bela=50_00, carl=50_01)) == [("carl", 1)]


def test_greatest_capacity_comes_first_and_equal_ones_by_handle():
    """R-TRA-5."""
    scene = club(dora=90_00, bela=90_00, anna=60_00, carl=120_00)
    assert capacities(scene) == [("carl", 70_00), ("bela", 40_00), ("dora", 40_00), ("anna", 10_00)]


def test_buyins_of_running_games_lessen_the_capacity():
    """R-TRA-5: capacity is of the available."""
    scene = club(anna=60_00, bela=60_00, carl=0).running("anna", "bela", buyin=10_00)
    assert capacities(scene) == []
    assert capacity_cents(scene.member("anna"), scene.club) == 0
    assert capacity_cents(scene.member("carl"), scene.club) == -50_00


def test_banned_members_are_no_bankers():
    """R-TRA-5, R-BAN-3."""
    assert capacities(club(anna=0, bela=150_00, carl=150_00).banned("bela")) == [("carl", 100_00)]


def test_the_list_shows_whole_euros_and_not_its_reader():
    """R-TRA-5: capacity to the euro below; less than a euro is not worth a line."""
    scene = club(anna=150_00, bela=61_99, carl=51_00, dora=50_99)
    assert bankers_shown(scene.club, scene.member("anna")) == [
        {"handle": "bela", "capacity_cents": 11_00},
        {"handle": "carl", "capacity_cents": 1_00},
    ]
