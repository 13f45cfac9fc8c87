"""A diagnosis as lines of text, the root cause first."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Mapping, Sequence

from migrate.doctor.diagnosis import Diagnosis, Finding
from migrate.doctor.explain import Cause
from migrate.doctor.failures import Certainty

Causes = Mapping[str, Sequence[Cause]]
MOST_CAUSES = 5
"""Places of one rule that are named, and hosts of one finding."""
SHORT = 160
"""Characters shown of a message."""
WIDTH = 110
"""Characters of a line of prose."""
_INDENT = " " * 14
CERTAINTIES = {
    Certainty.CERTAIN: "certain: the message has one meaning",
    Certainty.LIKELY: "likely: the usual reason of this message",
    Certainty.HEURISTIC: "heuristic: a guess, as a job that stands still does not say why",
}
_CONTROL = re.compile("[\\x00-\\x1f\\x7f-\\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def diagnosis_lines(diagnosis: Diagnosis, causes: Causes | None, width: int = WIDTH) -> Iterator[str]:
    """All of it. `causes` by failure; None when no script was given. Only prose is broken at `width`."""
    for number, finding in enumerate(diagnosis.findings):
        if number:
            yield ""
        yield from _finding(finding, causes, min(WIDTH, max(40, width)))
    if not diagnosis.findings:
        yield from _unknown(diagnosis)
    elif diagnosis.last_error is not None:
        yield ""
        yield from _unknown(diagnosis)


def closing_line(diagnosis: Diagnosis) -> str:
    """What was read, and what came of it."""
    megabytes = f"{diagnosis.bytes / 1e6:.1f} MB" if diagnosis.bytes >= 1e5 else f"{diagnosis.bytes:,} bytes"
    read = f"{_number(diagnosis.lines, 'line')} ({megabytes}) of {_number(len(diagnosis.logs), 'log')}"
    found = len(diagnosis.findings)
    return f"{_number(found, 'known failure') if found else 'no known failure'} in {read}"


def visible(text: str) -> str:
    """A text of a log with its control characters spelled: it must not act on the terminal of who reads it."""
    return _CONTROL.sub(lambda match: ascii(match[0])[1:-1], text)


def spell_numbers(numbers: Sequence[int]) -> str:
    """Sorted numbers as ranges: `0-3, 7`."""
    spans: list[list[int]] = []
    for number in numbers:
        if spans and spans[-1][1] + 1 == number:
            spans[-1][1] = number
        else:
            spans.append([number, number])
    return ", ".join(f"{first}-{last}" if first != last else str(first) for first, last in spans)


def seen_on(finding: Finding) -> str:
    """How often, on which ranks and hosts."""
    if not finding.line:
        return "not a message, but what the log lacks"
    times = f"{finding.count:,} times or more" if finding.is_counted_out else _number(finding.count, "time")
    ranks = f", rank{'s' * (len(finding.ranks) > 1)} {spell_numbers(finding.ranks)}" if finding.ranks else ""
    hosts = ", ".join(finding.hosts[:MOST_CAUSES])
    more = f" and {len(finding.hosts) - MOST_CAUSES} more" if len(finding.hosts) > MOST_CAUSES else ""
    return f"{times}{ranks}{f', on {hosts}{more}' if hosts else ''}"


def _finding(finding: Finding, causes: Causes | None, width: int) -> Iterator[str]:
    failure = finding.failure
    where = f"{visible(finding.log)}:{finding.line}" if finding.line else visible(finding.log)
    yield f"{where}: {failure.id} {failure.summary}"
    if finding.text:
        yield f"    | {shorten(visible(finding.text))}"
    yield f"    seen      {seen_on(finding)}"
    yield f"    trust     {CERTAINTIES[failure.certainty]}"
    if finding.causes:
        yield f"    follows   probably from {', '.join(finding.causes)}"
    yield from _labelled("means", failure.diagnosis + (f"\nHere: {finding.hint}." if finding.hint else ""), width)
    yield from _labelled("remedy", failure.remedy, width)
    yield f"    document  {failure.document}"
    if causes is not None:
        for number, line in enumerate(cause_lines(causes.get(failure.id, ()))):
            yield f"    {'' if number else 'explained':<9} {line}"


def cause_lines(causes: Sequence[Cause]) -> Iterator[str]:
    """The places in the scripts."""
    for cause in causes[:MOST_CAUSES]:
        rule = f"{cause.rule} ({', '.join(cause.aliases)})" if cause.aliases else cause.rule
        yield f"{visible(cause.path)}:{cause.where}: {rule} {cause.message}{' [--write mends it]' * cause.edited}"
    if len(causes) > MOST_CAUSES:
        yield f"and {len(causes) - MOST_CAUSES} more places"
    if not causes:
        yield "by nothing that was found in the files given"


def shorten(text: str) -> str:
    """A message short enough for a line."""
    return text if len(text) <= SHORT else text[: SHORT - 3] + "..."


def _labelled(label: str, text: str, width: int) -> Iterator[str]:
    """Prose broken into lines, code as it is."""
    lines: list[str] = []
    for line in text.split("\n"):
        lines += [line] if line.startswith(" ") else textwrap.wrap(line, width - len(_INDENT))
    for number, line in enumerate(lines):
        yield f"    {'' if number else label:<9} {line}"


def _unknown(diagnosis: Diagnosis) -> Iterator[str]:
    error = diagnosis.last_error
    if error is None and diagnosis.succeeded:
        yield "the job succeeded, and the log shows nothing known"
        return
    if error is None:
        yield "nothing known, and no error: give the whole log, of all hosts, from its beginning to its end"
        return
    ending = "the last traceback ends in" if error.traceback else "the last error is"
    yield f"{visible(error.log)}:{error.line}: unknown: {ending}"
    yield f"    | {shorten(visible(error.text))}"
    yield "    It is none of the known failures." + (
        " Read that traceback from its last frame in your own script." if error.traceback else ""
    )


def _number(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
