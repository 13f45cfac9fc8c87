"""Lists of repositories from the forge: page by page, and with what can go wrong."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from migrate.campaign.listed import Wanted, find_listed
from migrate.forge.faults import Denied, Missing, RateLimited
from migrate.forge.listing import Listing
from tests.bot.hub import Hub

TOKEN = "ghs_" + "s3cret" * 6


@pytest.fixture
def listing(hub: Hub) -> Iterator[Listing]:
    """Of a forge with an account of 101 repositories."""
    hub.state.repositories += [f"octo/r{number:03}" for number in range(101)]
    hub.allow(TOKEN, "octo/*")
    return Listing(TOKEN, hub.url, pause=0)


@pytest.mark.parametrize("wanted", [Wanted(("octo",)), Wanted((), ("octo",))], ids=["organisation", "user"])
def test_all_pages_are_read(listing: Listing, hub: Hub, wanted: Wanted) -> None:
    assert [each.text for each in find_listed(wanted, listing)] == hub.state.repositories


def test_what_goes_wrong_is_said(listing: Listing, hub: Hub) -> None:
    with pytest.raises(Missing):
        list(find_listed(Wanted(("nobody",)), listing))
    hub.faults = {"GET /orgs/{org}/repos": ["429", "403"]}
    with pytest.raises(RateLimited) as caught:
        list(find_listed(Wanted(("octo",)), listing))
    assert caught.value.wait == 5
    with pytest.raises(Denied) as denied:
        list(find_listed(Wanted(("octo",)), listing))
    assert TOKEN not in str(denied.value)
