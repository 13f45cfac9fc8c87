"""What a program calls is there, in the release that it is for and at the time when it is called."""

from __future__ import annotations

from collections.abc import Iterator

from codemods.kit.api import accepts, lookup
from codemods.kit.meaning.record import HAS, Event
from codemods.kit.meaning.values import Site
from migrate.engine.certificate import Finding, Standing
from migrate.engine.comparison import Comparison
from migrate.engine.obligations.kinds import RUNS


def asked_of_torch_xla(comparison: Comparison) -> Iterator[Finding]:
    """The functions of torch_xla that are called are those of the release, and take what they are given."""
    release = ".".join(map(str, comparison.version))
    for event in comparison.after.record.of("library call"):
        name, positional, keywords = event.about
        symbol, message = lookup(name, comparison.version), ""
        if symbol is None:
            message = f"{name} is not there in torch_xla {release}"
        elif positional is not None:
            message = accepts(symbol, positional, [one for one in keywords if one != "**"], unpacks=True) or ""
        if message and "tried" not in event.taints:
            yield comparison.finding(HAS, Standing.VIOLATED, event.site, message, None, event.chain)


def given_by_options(comparison: Comparison) -> Iterator[Finding]:
    """The options that are asked for are there, where the original has them."""
    made = {one.about: one.site for one in comparison.before.record.of("option")} if comparison.before else {}
    lost = made.keys() - {one.about for one in comparison.after.record.of("option")}
    for event in comparison.after.record.of("option asked") if lost else ():
        if event.about in lost and f".{event.about}" in comparison.lines.text(event.site):
            message = f"the original has an option for `{event.about}`; here there is none"
            site = made[event.about]
            line = comparison.nearest((site.path, site.line))
            yield comparison.finding(HAS, Standing.VIOLATED, event.site, message, Site(site.path, line), event.chain)


def begun_once(comparison: Comparison) -> Iterator[Finding]:
    """Nothing uses the device above what starts the processes: torch_xla 2.x starts none when its runtime runs."""
    asked: Event | None = None
    started = False
    for event in () if comparison.after.legacy else comparison.after.called:
        if event.kind in ("end", "spent"):
            asked, started = None, False
        elif event.kind in ("device", "runtime") and not started:  # else a process of those that were started asks
            asked = asked or event
        elif event.kind == "launch":
            started = True
        if event.kind == "launch" and asked:
            what = "the device was asked for" if asked.kind == "device" else "torch_xla's runtime was asked"
            message = f"processes cannot be started here: {what} at {asked.site}"
            yield comparison.finding(RUNS, Standing.VIOLATED, event.site, message, asked.site)


def met_in_a_group(comparison: Comparison) -> Iterator[Finding]:
    """Processes meet by torch.distributed in a group that was made."""
    made = [bool(one.record.of("processes")) for one in (comparison.before, comparison.after) if one is not None]
    if comparison.before is None or made != [True, False]:
        return
    for event in comparison.after.called:
        if event.kind == "collective" and "." not in str(event.about) and comparison.after.several:
            message = f"torch.distributed.{event.about} needs a process group, and none is made"
            yield comparison.finding(RUNS, Standing.VIOLATED, event.site, message, None, event.chain)
