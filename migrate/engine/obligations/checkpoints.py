"""What was gathered and loaded still is, and checkpoints keep their keys."""

from __future__ import annotations

from collections.abc import Iterator

from migrate.engine.certificate import Finding, Standing
from migrate.engine.comparison import Comparison
from migrate.engine.obligations.kinds import KEYS, REACHED


def kept(comparison: Comparison) -> Iterator[Finding]:
    """What was written into parts of a tensor is written there still; keys keep their first part."""
    if comparison.before is None:
        return
    record = comparison.after.record
    written = {(one.path, one.function) for event in record.of("written view") for one in event.chain}
    read = {one.about for one in comparison.before.record.of("gathered read")}
    for event in comparison.before.record.of("written view"):
        place = (event.site.path, event.site.line)
        if event.about in read and (event.site.path, event.site.function) not in written:
            message = "what the original gathers into parts of a tensor does not get there"
            yield Finding(REACHED, Standing.VIOLATED, place[0], comparison.nearest(place), message, place[1])
    for event in record.of("own state"):
        if not comparison.was_there(event):
            message = "what is loaded is what the network has: its weights were kept, and nothing copied them"
            yield comparison.finding(KEYS, Standing.VIOLATED, event.site, message, None, event.chain)
    yield from _names(comparison)
    if comparison.before.record.of("wrapper"):
        for event in record.of("strip"):
            message = "a first part is taken off the keys of a checkpoint: those that are written now have no `module.`"
            yield comparison.finding(KEYS, Standing.OPEN, event.site, message, None, event.chain)


def _names(comparison: Comparison) -> Iterator[Finding]:
    """The names in old checkpoints are those of wrapped networks; the networks here have none of their first part."""
    assert comparison.before is not None
    record = comparison.after.record
    for event in record.of("prefixed"):
        if not comparison.was_there(event):
            message = "names from a checkpoint get a first part here that the original did not give them"
            yield comparison.finding(KEYS, Standing.OPEN, event.site, message, None, event.chain)
    loads = comparison.before.record.of("load state")
    known = [(one.site, one.about[1]) for one in loads if isinstance(one.about, tuple)]
    prefixes = {(site.path, site.line): prefix for site, prefix in known if prefix}
    if record.of("unprefixed") or record.of("strip"):
        return
    for event in record.of("load state"):
        prefix = prefixes.get(comparison.lines.source(event.site), "")
        if isinstance(event.about, tuple) and prefix and event.about[1] != prefix:
            message = f"checkpoints of the original name what they hold `{prefix}`: nothing takes that off"
            yield comparison.finding(KEYS, Standing.OPEN, event.site, message, None, event.chain)
