"""The same texts for a person at a terminal, in colour. The only renderer that needs rich."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from rich.padding import Padding
from rich.rule import Rule as Line
from rich.style import Style
from rich.table import Table
from rich.text import Text

from migrate.findings import Finding
from migrate.render.diff import Hunk
from migrate.render.report import in_one_line
from migrate.render.words import changed_spans, most_alike
from migrate.unseen import visible

KIND_STYLES = {"error": "bold red", "warning": "yellow", "info": "cyan", "review": "magenta"}
_MARK_STYLES = {"-": Style(color="red"), "+": Style(color="green"), " ": Style()}
_CHANGED = Style(bold=True, underline=True)


def heading(name: str, about: str) -> Line:
    """The line above what is said of one file."""
    text = Text.assemble((in_one_line(name), "bold"), (f"  {about}" if about else "", "dim"))
    return Line(text, align="left", style="dim")


def diff_text(header: str, hunks: Iterable[Hunk]) -> Text:
    """A unified diff in colour, with the words that differ underlined. Its characters are those of the plain one."""
    text = Text.assemble(*((line, "bold") for line in _visible(header).splitlines(keepends=True)), end="")
    for hunk in hunks:
        text.append_text(hunk_text(hunk))
    return text


def hunk_text(hunk: Hunk) -> Text:
    """One hunk in colour."""
    _, span, where = hunk.header.split("@@", 2)
    text = Text.assemble((f"@@{span}@@", "cyan"), (_visible(where), "dim cyan"), "\n", end="")
    for line in _coloured(hunk.lines):
        text.append_text(line)
    return text


def remark_table(name: str, remarks: Sequence[Finding]) -> Padding:
    """Where, what kind, which rule, and the message with its advice below it."""
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column(ratio=1)
    for remark in remarks:
        said = Text(_visible(remark.message))
        if remark.advice:
            said.append("\n" + _visible(remark.advice), style="dim")
        style = KIND_STYLES.get(remark.kind, "")
        table.add_row(
            Text(f"{in_one_line(name)}:{remark.where}"), Text(remark.kind, style), Text(remark.rule, "bold"), said
        )
    return Padding(table, (1, 0))


def closing_text(line: str) -> Text:
    """The closing line of a run, its grave parts in the colours of the notes."""
    text = Text(line)
    text.highlight_regex(r"\d+ errors?|\d+ (?:failed|skipped)", KIND_STYLES["error"])
    text.highlight_regex(r"\d+ warnings?", KIND_STYLES["warning"])
    text.highlight_regex(r"\d+ to review", KIND_STYLES["review"])
    return text


def analysis_text(plain: str) -> Text:
    """An analysis with its headings in bold and its efforts in the colours of the notes."""
    text = Text(_visible(plain))
    text.highlight_regex(r"(?m)^[^ \n].*$", "bold")
    text.highlight_regex(r"\b\d+% automatic|\bautomatic(?=  )", "green")
    text.highlight_regex(r"\b\d+% to review|\breview(?=  )", KIND_STYLES["review"])
    text.highlight_regex(r"\bcheck(?=  )", KIND_STYLES["warning"])
    text.highlight_regex(r"\b\d+% by hand|\b(?:change|redesign)(?=  )", KIND_STYLES["error"])
    text.highlight_regex(r"\b(?:TC\d{3}|SM\d{3}|LC\d{2})\b", "bold")
    text.highlight_regex(r"(?m)^ {11,}\w.*$", "dim")
    return text


def diagnosis_text(plain: str) -> Text:
    """A diagnosis with its headings in bold and how far to trust it in the colours of the notes."""
    text = Text(plain)
    text.highlight_regex(r"(?m)^[^ \n].*$", "bold")
    text.highlight_regex(r"(?m)^    \| .*$", "red")
    text.highlight_regex(r"(?m)^    (?:seen|trust|follows|means|remedy|document|explained)(?= )", "dim")
    text.highlight_regex(r"(?m)(?<=^    trust     )certain\b", KIND_STYLES["error"])
    text.highlight_regex(r"(?m)(?<=^    trust     )(?:likely|heuristic)\b", KIND_STYLES["warning"])
    text.highlight_regex(r"(?m)^ {18,}\S.*$", "green")
    return text


def certificate_text(plain: str) -> Text:
    """Certificates with their headings in bold and how obligations stand in the colours of the notes."""
    text = Text(_visible(plain))
    text.highlight_regex(r"(?m)^[^ \n].*$", "bold")
    text.highlight_regex(r"(?m)^  \| .*$", "dim")
    text.highlight_regex(r"(?m)^  (?:made at|called at|breaks|of)(?= )", "dim")
    text.highlight_regex(r"(?m)^  shown(?= )|\b\d+ shown", "green")
    text.highlight_regex(r"(?m)^  cost(?= )|  cost$|\b\d+ cost", KIND_STYLES["info"])
    text.highlight_regex(r"(?m)^  open(?= )|  open$|^open$|\b\d+ (?:open|not shown)", KIND_STYLES["warning"])
    text.highlight_regex(r"(?m)^  violated(?= )|  violated$|\b\d+ violated", KIND_STYLES["error"])
    return text


def understood_text(plain: str) -> Text:
    """What was understood, with its headings in bold, and what was not in the colour of a warning."""
    text = Text(_visible(plain))
    text.highlight_regex(r"(?m)^[^ \n].*$", "bold")
    text.highlight_regex(r"(?m)^training loop(?=  )", "bold green")
    text.highlight_regex(r"(?m)^evaluation loop(?=  )", "bold cyan")
    text.highlight_regex(r"(?m)^not understood$|^  \?(?= )", KIND_STYLES["warning"])
    text.highlight_regex(r"(?m)^  [a-z]+(?: [a-z]+)?(?=  +)", "cyan")
    text.highlight_regex(r"\((?:[^ ()]+, )?lines? [\d, ]+\)", "dim")
    text.highlight_regex(r"(?m)^    (?:for|while|async for) .*$", "italic")
    return text


def _coloured(lines: Sequence[tuple[str, str]]) -> Iterator[Text]:
    runs = [(mark, [line for _, line in run]) for mark, run in groupby(lines, key=lambda marked: marked[0])]
    for position, (mark, run) in enumerate(runs):
        other: list[str] = []
        if mark == "-" and position + 1 < len(runs) and runs[position + 1][0] == "+":
            other = runs[position + 1][1]
        elif mark == "+" and position and runs[position - 1][0] == "-":
            other = runs[position - 1][1]
        for number, line in enumerate(run):
            match = number if len(other) == len(run) else most_alike(line, other)
            yield _line(mark, line, "" if match is None else other[match])


def _line(mark: str, line: str, partner: str) -> Text:
    body = _visible(line.rstrip("\r\n"))
    text = Text(mark + body, style=_MARK_STYLES[mark], end="")
    for start, end in changed_spans(body, _visible(partner.rstrip("\r\n"))):
        text.stylize(_CHANGED, start + 1, end + 1)
    text.append("\n" if line.endswith("\n") else "\n\\ No newline at end of file\n")
    return text


def _visible(text: str) -> str:
    """What a script holds must not act on the terminal of the person who reads its diff."""
    return visible(text).replace("\r", "\\r")
