"""A rule as SARIF describes it: what GitHub shows beside an alert."""

from __future__ import annotations

from typing import Any

from codemods.kit.rules import Rule, Safety, Severity
from migrate.aliases import aliases_of
from migrate.registry import rules

_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}
_PROBLEM = {"error": "error", "warning": "warning", "note": "recommendation"}
_MEANS = {
    Safety.EXACT: "The edit does what the original did, on the XLA device.",
    Safety.REVIEW: "The edit is right by the evidence found, but a person should read it.",
    Safety.NOTE: "Nothing is edited; a person decides.",
}


def describe_rule(rule_id: str) -> dict[str, Any]:
    """The `reportingDescriptor` of a rule."""
    known = rules().get(rule_id)
    if known is None:
        return {"id": rule_id, "shortDescription": {"text": rule_id}, "fullDescription": {"text": rule_id}}
    rule, codemod = known
    level = "warning" if rule.safety is Safety.REVIEW else _LEVELS[rule.severity]
    return {
        "id": rule_id,
        "name": "".join(word.capitalize() for word in codemod.split("_")) + rule_id[2:],
        "shortDescription": {"text": _sentence(rule.summary)},
        "fullDescription": {"text": f"{_sentence(rule.summary)} {_MEANS[rule.safety]}"},
        "help": {"text": _help(rule, codemod, "", ""), "markdown": _help(rule, codemod, "**", "`")},
        "defaultConfiguration": {"level": level},
        "properties": {
            "tags": ["pytorch-xla", codemod, rule.safety.value, *aliases_of(rule_id)],
            "precision": "very-high" if rule.safety is Safety.EXACT else "high",
            "problem.severity": _PROBLEM[level],
        },
    }


def _help(rule: Rule, codemod: str, strong: str, code: str) -> str:
    """What the rule is about, what to do and where it is established, in paragraphs."""
    parts = [f"{strong}{_sentence(rule.summary)}{strong}", _MEANS[rule.safety]]
    if rule.advice:
        parts.append(f"{strong}What to do:{strong} {_sentence(rule.advice)}")
    if rule.document:
        parts.append(f"{strong}Established by:{strong} {_sentence(rule.document)}")
    explain = f"{code}tc-migrate explain {rule.id}{code}"
    ignore = f"{code}# tc-migrate: ignore[{rule.id}]{code}"
    parts.append(f"Codemod {code}{codemod}{code}; more with {explain}. {ignore} at the line leaves it alone.")
    return "\n\n".join(parts)


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:].rstrip(".") + "."
