"""All that comparing shows, obligation by obligation, in the order in which it is said."""

from __future__ import annotations

from collections.abc import Iterator

from migrate.engine.certificate import Finding
from migrate.engine.comparison import Comparison
from migrate.engine.obligations.alike import (
    as_often,
    cast_there,
    clipped_alike,
    divided_alike,
    in_each,
    in_mode,
    scaled_alike,
    stepped_once,
    told_alike,
)
from migrate.engine.obligations.amounts import added_up, gone_round, one_process, overwritten
from migrate.engine.obligations.averaging import always, averaged, begun, in_parallel, there
from migrate.engine.obligations.calls import asked_of_torch_xla, begun_once, given_by_options, met_in_a_group
from migrate.engine.obligations.checkpoints import kept
from migrate.engine.obligations.costs import last_batches, slowed
from migrate.engine.obligations.data import divided_by_asked, drawn_apart, made_by_hand, reordered, shared_out, unmixed
from migrate.engine.obligations.devices import moved, placed, stepped_there
from migrate.engine.obligations.following import followed
from migrate.engine.obligations.graphs import executed, graphs_kept, read_early, recompiled
from migrate.engine.obligations.partings import parted
from migrate.engine.obligations.processes import alone, ends, started
from migrate.engine.obligations.reductions import divided_once, of_all_processes, stepped_all
from migrate.engine.obligations.running import frozen, in_workers, left, packed
from migrate.engine.obligations.saved import items_read, read_back, saved_alike, saved_each_time, waited_for
from migrate.engine.obligations.shares import begun_anew, cut_alike, told_in_time
from migrate.engine.obligations.training import reached, stepped, trained
from migrate.engine.obligations.unjudged import unjudged


def compare(comparison: Comparison) -> Iterator[Finding]:
    """All that comparing shows."""
    for check in CHECKS:
        yield from check(comparison)


CHECKS = (
    averaged,
    there,
    always,
    trained,
    in_parallel,
    stepped,
    reached,
    placed,
    moved,
    executed,
    read_early,
    recompiled,
    frozen,
    packed,
    kept,
    unmixed,
    begun,
    graphs_kept,
    started,
    left,
    shared_out,
    made_by_hand,
    divided_by_asked,
    drawn_apart,
    reordered,
    alone,
    parted,
    cut_alike,
    begun_anew,
    told_in_time,
    gone_round,
    added_up,
    overwritten,
    one_process,
    told_alike,
    clipped_alike,
    as_often,
    stepped_once,
    divided_alike,
    in_each,
    in_mode,
    in_workers,
    last_batches,
    scaled_alike,
    cast_there,
    saved_alike,
    read_back,
    saved_each_time,
    waited_for,
    of_all_processes,
    divided_once,
    stepped_all,
    asked_of_torch_xla,
    given_by_options,
    items_read,
    begun_once,
    stepped_there,
    slowed,
    met_in_a_group,
    followed,
    unjudged,
    ends,
)
