"""The generated pages: codemods, rules, targets. `python -m migrate.docs` writes them, `--check` compares.

A codemod's page is its module docstring, its rules and its examples; nothing about it is written anywhere else.
"""

from __future__ import annotations

import ast
import difflib
import inspect
import sys
from collections.abc import Iterator
from pathlib import Path

import migrate
from codemods.kit.codemod import Codemod
from codemods.kit.phrases import Idiom
from codemods.kit.rules import Example, Rule, Safety
from codemods.kit.targets import ALL, SMTC, XLA, Target
from migrate import judging, requirements
from migrate.aliases import ALIASES
from migrate.registry import codemods, rules

DOCS = Path(__file__).parent.parent / "docs"
_MADE = "<!-- made by `python -m migrate.docs`: edit the codemod, not this page -->\n"


def pages() -> dict[str, str]:
    """Every generated page by its path under docs/."""
    made = {f"codemods/{codemod.name()}.md": _codemod_page(codemod) for codemod in codemods()}
    return {
        **made,
        "codemods/README.md": _index(),
        "rules.md": _rules_page(),
        "targets.md": _targets_page(),
        "api.md": _api_page(),
    }


def _api_page() -> str:
    """What `import migrate` offers, in the words of its docstrings."""
    made = _MADE.replace("the codemod", "the docstrings of `migrate/__init__.py`")
    parts = [made, "# From Python\n", *_doc_lines(str(migrate.__doc__))]
    for name in sorted(migrate.__all__, key=str.islower, reverse=True):
        offered = getattr(migrate, name)
        is_type = isinstance(offered, type)
        parts += [f"## `{name}{'' if is_type else '()'}`\n", *_doc_lines(str(offered.__doc__))]
        parts += [*(_fields(offered) if is_type else _options(offered)), ""]
    return "\n".join(parts)


def _doc_lines(text: str) -> list[str]:
    """A docstring; an example in it is a block of code."""
    parts = inspect.cleandoc(text).split("\n\n")
    shown = [(each, each.lstrip().startswith(">>>")) for each in parts]
    return [f"```pycon\n{inspect.cleandoc(each)}\n```\n" if is_code else f"{each}\n" for each, is_code in shown]


def _options(offered: object) -> Iterator[str]:
    """The parameters of a function."""
    function = ast.parse(inspect.getsource(offered)).body[0]  # type: ignore[arg-type]
    assert isinstance(function, ast.FunctionDef)
    given = function.args
    for each, default in zip(
        [*given.args, *given.kwonlyargs], [*[None] * len(given.args), *given.kw_defaults], strict=True
    ):
        yield f"- `{ast.unparse(each)}{f' = {ast.unparse(default)}' if default is not None else ''}`"


def _fields(offered: type) -> Iterator[str]:
    """The fields or members of a class, with the text that stands below each."""
    body = ast.parse(inspect.getsource(offered)).body[0]
    assert isinstance(body, ast.ClassDef)
    for each, below in zip(body.body, [*body.body[1:], None], strict=True):
        said = below.value.value if isinstance(below, ast.Expr) and isinstance(below.value, ast.Constant) else ""
        if isinstance(each, ast.FunctionDef) and not each.name.startswith("_"):
            said = ast.get_docstring(each) or ""
            yield f"- `{each.name}{'' if each.decorator_list else '()'}` {said}"
        elif isinstance(each, ast.AnnAssign | ast.Assign):
            yield f"- `{ast.unparse(each)}` {inspect.cleandoc(str(said))}".rstrip()


def module_text(codemod: type[Codemod]) -> str:
    """The long description of a codemod: its module's docstring, else its own."""
    return (sys.modules[codemod.__module__].__doc__ or codemod.__doc__ or "").strip()


def _codemod_page(codemod: type[Codemod]) -> str:
    title, _, rest = module_text(codemod).partition("\n")
    parts = [_MADE, f"# `{codemod.name()}`: {title.rstrip('.')}\n", f"Stage: {codemod.STAGE.name.lower()}.\n"]
    served = [target.name for target in ALL if codemod.serves(target)]
    if len(served) < len(ALL):
        parts.append(f"Runs for: {', '.join(served)}.\n")
    if rest.strip():
        parts.append(rest.strip() + "\n")
    parts.append("## Rules\n")
    parts.append(_rule_table([(rule, "") for rule in codemod.RULES]))
    if codemod.EXAMPLES:
        parts.append("## Examples\n")
        parts += [_example(example) for example in codemod.EXAMPLES]
    return "\n".join(parts)


def _rule_table(rules: list[tuple[Rule, str]]) -> str:
    named = any(name for _, name in rules)
    lines = ["| rule | what | trust | advice | source |" + (" codemod |" if named else "")]
    lines.append("|---|---|---|---|---|" + ("---|" if named else ""))
    for rule, name in rules:
        trust = rule.severity.value if rule.safety is Safety.NOTE else rule.safety.value
        cells = [rule.id, rule.summary, trust, rule.advice, rule.document]
        row = "| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in cells) + " |"
        lines.append(row + (f" [{name}]({_page_of(name)}) |" if named else ""))
    return "\n".join(lines) + "\n"


def _page_of(name: str) -> str:
    return f"{name}.md" if name in (requirements.NAME, judging.NAME) else f"codemods/{name}.md"


def _example(example: Example) -> str:
    if example.smtc is None and example.xla is None:
        return f"Left alone:\n\n```python\n{example.before}```\n"
    found: list[str] = []
    for target, after in ((SMTC, example.smtc), (XLA, example.xla)):
        if after is not None:
            found.append(f"For `{target.name}`:\n\n```diff\n{_diff(example.before, after)}```\n")
    return "\n".join(found)


def _diff(before: str, after: str) -> str:
    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), lineterm="", n=99)
    return "".join(f"{line}\n" for line in list(lines)[3:])


def _index() -> str:
    rows = [
        f"| [{c.name()}]({c.name()}.md) | {c.STAGE.name.lower()} | {module_text(c).splitlines()[0]} |"
        for c in codemods()
    ]
    return "\n".join([_MADE, "# Codemods\n", "| codemod | stage | what it does |", "|---|---|---|", *rows]) + "\n"


def _rules_page() -> str:
    every = [(rule, name) for _, (rule, name) in sorted(rules().items())]
    about = (
        "`exact` edits do what the original did; `review` edits are right by the evidence found, and a person should\n"
        "read them; the rest are notes, by severity. Switch a rule off with `--ignore TC401`, at a line with\n"
        "`# tc-migrate: ignore[TC401]`.\n"
    )
    return "\n".join([_MADE, "# Rules\n", about, _rule_table(every), _alias_table()])


def _alias_table() -> str:
    """The other names of rules, and the rules each means."""
    rows = [f"| {id} | {alias.summary} | {', '.join(alias.rules)} |" for id, alias in ALIASES.items()]
    about = (
        "The numbers of the lint table for Training Compiler scripts are taken wherever a rule is: `--select TS012`,\n"
        "`--ignore TS`, `# tc-migrate: ignore[TS016]`, `tc-migrate explain TS016`. Each means all of its rules.\n"
        "So are the edits of launchers that mend what a rule SM finds: `--select LC04`.\n"
    )
    return "\n".join(["## Other names\n", about, "| alias | what | rules |", "|---|---|---|", *rows]) + "\n"


def _targets_page() -> str:
    lines = [
        _MADE,
        "# Targets\n",
        "How each target spells what a rewrite says. Codemods ask for the idiom, never for a version.\n",
    ]
    shown = [target for target in ALL if target.name in ("smtc", "torch-xla==2.1", "torch-xla==2.4", "torch-xla==2.9")]
    lines.append("| idiom | " + " | ".join(f"`{target.name}`" for target in shown) + " |")
    lines.append("|---|" + "---|" * len(shown))
    for idiom in Idiom:
        cells = [_spelling(target, idiom) for target in shown]
        lines.append(f"| {idiom.value} | " + " | ".join(cells) + " |")
    lines.append("\nEvery target: " + ", ".join(f"`{target.name}`" for target in ALL) + ".")
    return "\n".join(lines) + "\n"


def _spelling(target: Target, idiom: Idiom) -> str:
    if not target.has(idiom):
        return "-"
    code = target.phrase(idiom).code.replace("{{", "{").replace("}}", "}").replace("\n", "; ").replace("|", "\\|")
    return f"`{code}`"


def stale() -> Iterator[str]:
    """Pages that differ from what is on disk, and generated ones that nothing makes any more."""
    made = pages()
    for name, text in made.items():
        path = DOCS / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            yield name
    for path in (DOCS / "codemods").glob("*.md"):
        if f"codemods/{path.name}" not in made:
            yield f"codemods/{path.name}"


def main(arguments: list[str]) -> int:
    """Write the pages, or with `--check` say which are stale and return 1."""
    if "--check" in arguments:
        found = list(stale())
        for name in found:
            print(f"docs/{name} is stale: run python -m migrate.docs", file=sys.stderr)
        return 1 if found else 0
    for name in stale():
        path = DOCS / name
        text = pages().get(name)
        if text is None:
            path.unlink()
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
