"""How what came of a piece of work changes what is known of a repository. Pure."""

from __future__ import annotations

from dataclasses import replace

from migrate.campaign.order import Order, Reach
from migrate.campaign.proposal import Note
from migrate.campaign.record import Record, Result, Stage

_PROPOSED = (Stage.PUSHED, Stage.PR, Stage.MERGED, Stage.CLOSED, Stage.EDITED)


def after_analysis(record: Record, note: Note) -> Record:
    """The record after an analysis. What was proposed before stays proposed."""
    if note.what == "unchanged":
        return replace(record, attempts=0)
    if note.what == "error":
        return after_error(record, note)
    stage = record.stage if record.stage in _PROPOSED else Stage.ANALYSED
    known = {"reason": "", **note.known}
    return record.reached(stage, result=Result(note.what), attempts=0, **known)


def after_write(record: Record, note: Note) -> Record:
    """The record after a write."""
    if note.what == "error":
        return after_error(record, note)
    known = {"reason": "", **note.known}
    return record.reached(Stage(note.what), attempts=0, proposed=record.fingerprint, **known)


def after_error(record: Record, note: Note) -> Record:
    """The record after a failure."""
    known = note.known
    return replace(record.failed(known["error"], known["reason"], retryable=known["retryable"]), attempts=0)


def is_to_write(order: Order, record: Record, note: Note) -> bool:
    """Whether something is left to do after an analysis: a proposal, or taking one back."""
    if order.reach is Reach.ANALYSE or note.what not in (Result.CLEAN.value, Result.CHANGES.value):
        return False
    if order.opens(record.source):
        return note.what == Result.CHANGES.value or record.stage is Stage.PR
    was_closed = record.stage is Stage.CLOSED and record.changes == note.known["changes"] and not order.request.anew
    return note.what == Result.CHANGES.value and not was_closed
