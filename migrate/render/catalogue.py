"""The rules as a table, and one rule or codemod explained."""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from codemods.kit.codemod import Codemod
from codemods.kit.rules import Example, Rule, Safety
from migrate.aliases import ALIASES, aliases_of
from migrate.render.diff import CONTEXT, find_hunks

HEADINGS = ("rule", "alias", "codemod", "safety", "severity", "what it does")
WIDTH = 100


def rule_rows(rules: Mapping[str, tuple[Rule, str]]) -> list[tuple[str, str, str, str, str, str]]:
    """One row for each rule, by id, under `HEADINGS`."""
    return [
        (rule.id, " ".join(aliases_of(rule.id)), codemod, rule.safety.value, _severity(rule), rule.summary)
        for _, (rule, codemod) in sorted(rules.items())
    ]


def rule_table(rules: Mapping[str, tuple[Rule, str]]) -> str:
    """The rows in columns of plain text."""
    rows = [HEADINGS, *rule_rows(rules)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(HEADINGS) - 1)]
    lines = ("  ".join([*map(str.ljust, row, widths), row[-1]]) for row in rows)
    return "".join(f"{line}\n" for line in lines)


def rule_objects(rules: Mapping[str, tuple[Rule, str]]) -> list[dict[str, object]]:
    """The rules for other programs, by id."""
    return [
        {
            "id": rule.id,
            "aliases": list(aliases_of(rule.id)),
            "codemod": codemod,
            "summary": rule.summary,
            "safety": rule.safety.value,
            "severity": rule.severity.value,
            "advice": rule.advice,
            "document": rule.document,
        }
        for _, (rule, codemod) in sorted(rules.items())
    ]


def explain_rule(rule: Rule, codemod: type[Codemod] | None, width: int = WIDTH) -> str:
    """One rule, and the codemod it belongs to, if it is one of a codemod, in so many columns."""
    about = [("safety", f"{rule.safety.value} - {_SAFETY_MEANS[rule.safety]}")]
    if rule.safety is Safety.NOTE:
        about.append(("severity", rule.severity.value))
    about += [("advice", rule.advice), ("source", rule.document), ("alias", ", ".join(aliases_of(rule.id)))]
    fields = "".join(_field(name, text, width) for name, text in about if text)
    page = f"\n{explain_codemod(codemod, width)}" if codemod is not None else ""
    return f"{rule.id}  {rule.summary}\n\n{fields}{page}"


def explain_alias(id: str, rules: Mapping[str, tuple[Rule, str]], width: int = WIDTH) -> str:
    """An alias: what it says, and the rules it means, in so many columns."""
    meant = (rules[rule] for rule in ALIASES[id].rules)
    listing = _listing(((rule.id, f"{rule.summary}  ({codemod})") for rule, codemod in meant), width)
    return f"{id}  {ALIASES[id].summary}\n\n  An alias: it means these rules, each with a page of its own.\n\n{listing}"


def explain_codemod(codemod: type[Codemod], width: int = WIDTH) -> str:
    """A codemod's page, its rules and its examples, in so many columns."""
    parts = [f"codemod {codemod.name()}\n\n{textwrap.indent(reflow(_page(codemod), width - 2), '  ')}\n"]
    parts.append("rules\n\n" + _listing(((rule.id, rule.summary) for rule in codemod.RULES), width))
    parts += [f"example\n\n{textwrap.indent(diff, '  ')}" for diff in map(_example, codemod.EXAMPLES) if diff]
    return "\n".join(parts)


_SAFETY_MEANS = {
    Safety.EXACT: "the migrated line does what the original did, on the XLA device",
    Safety.REVIEW: "right by the evidence found, but a person should read it",
    Safety.NOTE: "nothing is edited, it is only said",
}


def _page(codemod: type[Codemod]) -> str:
    """The codemod's documentation: its class's, or its module's where that says more."""
    pages = [inspect.getdoc(codemod) or "", inspect.getdoc(inspect.getmodule(codemod)) or ""]
    return max(pages, key=len)


def _example(example: Example) -> str:
    """Before and after as one diff without `@@` lines; nothing for an example of what stays."""
    after = example.smtc if example.smtc is not None else example.xla
    if after is None:
        return ""
    hunks = find_hunks(example.before, after, context=max(CONTEXT, example.before.count("\n")))
    return "".join(hunk.body for hunk in hunks)


def _severity(rule: Rule) -> str:
    return rule.severity.value if rule.safety is Safety.NOTE else "-"


def reflow(page: str, width: int) -> str:
    """Text that was wrapped for a source, wrapped for so many columns: paragraphs and items of lists. What is indented,
    fenced or a table stays as it is."""
    made: list[str] = []
    together: list[str] = []
    fenced = False

    def end() -> None:
        if together:
            rest = "  " if together[0].startswith(_ITEMS) else ""
            made.extend(textwrap.wrap(" ".join(map(str.strip, together)), width, subsequent_indent=rest, **_WRAP))
            together.clear()

    for line in page.splitlines():
        fence = line.startswith("```")
        stays = fenced or fence or not line.strip() or line.startswith(("|", "#", "    "))
        if stays or line.startswith(_ITEMS):
            end()
        (made if stays else together).append(line)
        fenced ^= fence
    end()
    return "\n".join(made)


_ITEMS = ("- ", "* ")
_WRAP: Any = {"break_on_hyphens": False, "break_long_words": False}


def _field(name: str, text: str, width: int) -> str:
    return textwrap.fill(text, width, initial_indent=f"  {name:<10}", subsequent_indent=" " * 12, **_WRAP) + "\n"


def _listing(pairs: Iterable[Sequence[str]], width: int) -> str:
    rows = [(name, text) for name, text in pairs]
    indent = " " * (4 + max((len(name) for name, _ in rows), default=0))
    filled = (
        textwrap.fill(text, width, initial_indent=f"  {name}  ", subsequent_indent=indent, **_WRAP)
        for name, text in rows
    )
    return "".join(f"{text}\n" for text in filled)
