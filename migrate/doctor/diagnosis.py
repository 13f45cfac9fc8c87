"""What is to be said of some logs: each failure once, root causes first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from migrate.doctor.ending import guess_stall, last_complaint, last_exception, last_messages
from migrate.doctor.failures import Certainty, Failure, Sign
from migrate.doctor.known import FAILURES
from migrate.doctor.scan import MOST, SHOWN, Scan, shown


@dataclass(frozen=True)
class Finding:
    """A known failure, and where the logs show it first."""

    failure: Failure
    log: str
    line: int
    """0 for one that is told by what the log lacks."""
    text: str
    """The message, without what the launcher puts before it; "" with line 0."""
    hint: str = ""
    count: int = 1
    ranks: tuple[int, ...] = ()
    hosts: tuple[str, ...] = ()
    causes: tuple[str, ...] = ()
    """Other findings that usually bring it about."""

    @property
    def is_counted_out(self) -> bool:
        """Whether there are more than were counted."""
        return self.count >= MOST


@dataclass(frozen=True)
class LastError:
    """What logs that show no known failure end with."""

    log: str
    line: int
    """Where the traceback begins, else that of the message."""
    text: str
    traceback: bool
    """Whether it is the end of a traceback, or a message without one."""


@dataclass(frozen=True)
class Diagnosis:
    """Everything that is said of a run's logs."""

    logs: tuple[str, ...]
    lines: int
    bytes: int
    findings: tuple[Finding, ...]
    last_error: LastError | None
    """None with a finding that explains a failure, and when there is no traceback."""
    succeeded: bool
    """Whether a container reports success."""


@dataclass
class _Seen:
    """A failure over all logs."""

    finding: Finding
    count: int = 0
    ranks: set[int] = field(default_factory=set)
    hosts: set[str] = field(default_factory=set)


def diagnose(scans: Sequence[Scan], *, compiled: bool = True) -> Diagnosis:
    """The diagnosis of logs that have been read. `compiled`: the job was meant for the Training Compiler."""
    signs = frozenset(sign for scan in scans for sign in scan.signs)
    seen = _gather(scans, signs)
    error = _last_error(scans)
    raised = error is not None and error.traceback
    fatal = [id for id in seen if not FAILURES[id].harmless]
    if not fatal and not raised and Sign.SUCCEEDED not in signs:
        _add_stall(seen, scans, signs)
    if compiled:
        _add_absences(seen, scans, signs, known=bool(fatal) or not raised)
    ended = {scan.name: scan.signs[Sign.SUCCEEDED][0] for scan in scans if Sign.SUCCEEDED in scan.signs}
    if error is not None and (error.line < ended.get(error.log, 0) or (ended and not raised)):
        error = None
    for each in seen.values():
        if 0 < each.finding.line < ended.get(each.finding.log, 0):
            each.finding = _survived(each.finding)
    findings = [
        Finding(**{**vars(each.finding), "count": each.count, "ranks": tuple(sorted(each.ranks)),
                   "hosts": tuple(sorted(each.hosts, key=_host_order)),
                   "causes": tuple(id for id in each.finding.failure.follows if id in seen)})
        for each in seen.values()
    ]  # fmt: skip
    names = [scan.name for scan in scans]
    return Diagnosis(
        logs=tuple(names),
        lines=sum(scan.lines for scan in scans),
        bytes=sum(scan.bytes for scan in scans),
        findings=tuple(sort_by_cause(findings, names)),
        last_error=None if any(not finding.failure.harmless for finding in findings) else error,
        succeeded=Sign.SUCCEEDED in signs,
    )


def sort_by_cause(findings: Sequence[Finding], logs: Sequence[str]) -> list[Finding]:
    """Root causes first: what follows from another comes after it, what is harmless last; else as the logs show it."""
    by_id = {finding.failure.id: finding for finding in findings}

    def depth(finding: Finding) -> int:
        return 1 + max((depth(by_id[id]) for id in finding.causes), default=-1)

    return sorted(
        findings,
        key=lambda finding: (
            finding.failure.harmless, depth(finding), finding.failure.certainty is Certainty.HEURISTIC,
            logs.index(finding.log), finding.line,
        ),
    )  # fmt: skip


def _survived(finding: Finding) -> Finding:
    """A failure of a job that ended well: it was caught, or another try went well."""
    hint = "; ".join([*([finding.hint] if finding.hint else []), "the job ended well all the same"])
    return replace(finding, failure=replace(finding.failure, harmless=True), hint=hint)


def _gather(scans: Sequence[Scan], signs: frozenset[Sign]) -> dict[str, _Seen]:
    seen: dict[str, _Seen] = {}
    for scan in scans:
        for id, sighting in scan.sightings.items():
            failure = FAILURES[id]
            if failure.needs and failure.needs not in signs:
                continue
            finding = Finding(failure, scan.name, sighting.line, sighting.text, sighting.hint)
            every = seen.setdefault(id, _Seen(finding))
            every.count += sighting.count
            every.ranks |= sighting.ranks
            every.hosts |= sighting.hosts
    return {id: each for id, each in seen.items() if each.finding.failure.part_of not in seen}


def _last_error(scans: Sequence[Scan]) -> LastError | None:
    """Of the last log that has a traceback; without any, of the last that has a message of an error."""
    for scan in reversed(scans):
        text = last_exception(scan.trace)
        if text:
            return LastError(scan.name, scan.trace_line, text[:SHOWN], True)
    for scan in reversed(scans):
        start, text = last_complaint(scan.tail)
        if text:
            line = scan.lines - scan.tail.rstrip(b"\n").count(b"\n", start)
            return LastError(scan.name, line, text[:SHOWN], False)
    return None


def _add_stall(seen: dict[str, _Seen], scans: Sequence[Scan], signs: frozenset[Sign]) -> None:
    for scan in scans:
        id, text = guess_stall(last_messages(scan.tail), Sign.MODEL_PARALLEL in signs)
        if id:
            every = seen.setdefault(id, _Seen(Finding(FAILURES[id], scan.name, scan.lines, shown(text))))
            every.count += 1
            every.hosts |= {scan.host} - {""}


def _add_absences(seen: dict[str, _Seen], scans: Sequence[Scan], signs: frozenset[Sign], *, known: bool) -> None:
    """`known`: what ended the job, if something did, is among what was seen."""
    if Sign.ON_CUDA in signs and Sign.ON_XLA not in signs and signs & {Sign.ASKED, Sign.BANNER}:
        scan = next(scan for scan in scans if Sign.ON_CUDA in scan.signs)
        seen["TCL091"] = _Seen(Finding(FAILURES["TCL091"], scan.name, *scan.signs[Sign.ON_CUDA]), 1)
    elif Sign.STARTED in signs and Sign.BANNER not in signs and Sign.ON_XLA not in signs:
        # A job that ends early would not have said it yet.
        if known and not any(each.finding.failure.early for each in seen.values()):
            hint = "the job asked for it" if Sign.ASKED in signs else "nothing in the log asks for it"
            seen["TCL090"] = _Seen(Finding(FAILURES["TCL090"], scans[0].name, 0, "", hint), 1)


def _host_order(host: str) -> tuple[int, str]:
    return (int(host.rpartition("-")[2]), host)
