"""What holds the house together: which room may import which, and what every codemod looks like."""

from __future__ import annotations

import ast
import re
import sys
from collections import Counter
from collections.abc import Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from codemods.kit.codemod import Codemod
from codemods.kit.rules import Rule, Safety, Stage
from codemods.kit.targets import Target
from migrate import judging
from migrate.docs import stale
from migrate.pipeline import migrate
from migrate.registry import Selection, codemods
from tests.goldens import TARGETS, Case, cases
from tests.judged.test_programs import EXPECTED as JUDGED

HOUSE = Path(__file__).parent.parent
MODULES = {
    ".".join(path.relative_to(HOUSE).with_suffix("").parts).removesuffix(".__init__"): path
    for package in ("codemods", "migrate")
    for path in sorted((HOUSE / package).rglob("*.py"))
    if "models" not in path.parts  # data in Python's syntax, never imported
}
KIT = [name for name in MODULES if name.startswith("codemods.kit")]
FLOORS = {
    "codemods.kit": 0,
    "codemods": 1,
    "migrate": 2,
    **dict.fromkeys(("lines", "libcst_commands", "migration", "modernise", "partial", "pipeline", "project", "registry",
                     "schema", "notebooks", "engine", "judging", "judged_text",
                     "suppress", "acting", "aliases", "doctor",
                     "analysis", "callers", "costs", "findings", "kernels", "joining", "linking", "modules",
                     "prefilter", "programs", "disputes", "requirements",
                     "reach", "started", "starting", "job_files", "unseen"), 2),
    **dict.fromkeys(("cache", "config", "discover", "docs", "files", "forge", "logs", "render", "repos", "smoke"), 3),
    **dict.fromkeys(("batch", "bot", "campaign", "lsp", "lsp_actions", "lsp_work", "lsp_work_warm", "needs"), 4),
    **dict.fromkeys(("cli", "cli_batch", "cli_doctor", "cli_progress", "cli_completion", "cli_interactive", "cli_lsp",
                     "cli_facts", "cli_forge", "cli_formats", "cli_guard", "cli_pr", "cli_campaign", "cli_campaign_run",
                     "cli_campaign_after", "cli_campaign_report", "cli_serve", "action",
                     "cli_statistics", "cli_output", "cli_replay", "cli_report_files", "cli_requirements",
                     "cli_rules", "cli_run", "cli_verify", "cli_write", "cli_smoke", "cli_terminal", "cli_words"), 5),
}  # fmt: skip
"""A room of `migrate/` by its name; one that is not here has to be given its floor."""
HUNDREDS = {
    Stage.PROCESSES: "5", Stage.DEVICE: "1", Stage.DATA: "2", Stage.PRECISION: "3", Stage.STEP: "4",
    Stage.LOGGING: "4", Stage.SAVE: "6", Stage.LAUNCH: "7",
}  # fmt: skip
RULE_ID = r"TC\d{3}|SM\d{3}|LC\d{2}"
EACH_CODEMOD = pytest.mark.parametrize("codemod", codemods(), ids=lambda codemod: codemod.name())


@cache
def tree(module: str) -> ast.Module:
    return ast.parse(MODULES[module].read_text(encoding="utf-8"))


@cache
def imports(module: str) -> frozenset[str]:
    """Every module that a module imports anywhere in it, as far as they are modules of this house or packages."""
    found: set[str] = set()
    for node in ast.walk(tree(module)):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            source = _source(module, node)
            inner = [f"{source}.{alias.name}" for alias in node.names]
            found.update(name if name in MODULES or _is_libcst(name) else source for name in inner)
    return frozenset(found)


def _source(module: str, node: ast.ImportFrom) -> str:
    """The module a `from` imports from, in full: what runs in a smoke run's own processes imports relatively."""
    if not node.level:
        return str(node.module)
    is_package = MODULES[module].name == "__init__.py"
    parts = module.split(".")[: len(module.split(".")) - node.level + is_package]
    return ".".join([*parts, *([node.module] if node.module else [])])


def _is_libcst(name: str) -> bool:
    return name.startswith("libcst.")


def room(module: str) -> str:
    """`render` of `migrate.render.diff`, `codemods.kit`, `codemods`."""
    first, _, rest = module.partition(".")
    if first == "codemods":
        return "codemods.kit" if rest.startswith("kit") else "codemods"
    return rest.partition(".")[0] or "migrate"


def top(names: frozenset[str]) -> set[str]:
    return {name.partition(".")[0] for name in names}


# --- floors -------------------------------------------------------------------------------------------------------


def test_every_room_has_a_floor() -> None:
    assert sorted({room(module) for module in MODULES} - FLOORS.keys()) == []


def test_imports_only_go_down() -> None:
    upwards = [
        f"{module} imports {imported}"
        for module in MODULES
        for imported in imports(module)
        if imported in MODULES and FLOORS[room(imported)] > FLOORS[room(module)]
    ]
    assert upwards == []


def test_rooms_of_the_doors_do_not_know_each_other() -> None:
    doors = {module for module in MODULES if FLOORS[room(module)] == 3}
    across = [
        f"{module} imports {imported}"
        for module in sorted(doors)
        for imported in imports(module) & doors
        if room(imported) != room(module)
    ]
    assert across == []


def test_no_module_imports_itself_through_others() -> None:
    graph = {module: {name for name in _when_loaded(module) if name in MODULES} for module in MODULES}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(f"cycle: {' -> '.join(error.args[1])}")


def _when_loaded(module: str) -> Iterator[str]:
    """The modules imported by the statements that run when the module is loaded."""
    for node in tree(module).body:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            source = _source(module, node)
            inner = [f"{source}.{alias.name}" for alias in node.names]
            yield from (name if name in MODULES else source for name in inner)


@pytest.mark.parametrize("module", KIT)
def test_the_kit_stands_on_libcst_alone(module: str) -> None:
    own = {"libcst", "codemods"} | sys.stdlib_module_names
    assert top(imports(module)) <= own
    slow = ("libcst.matchers", "libcst.codemod", "libcst.metadata", "libcst.helpers")
    assert [name for name in imports(module) if name.startswith(slow)] == []


@EACH_CODEMOD
def test_a_codemod_imports_only_the_kit(codemod: type[Codemod]) -> None:
    found = imports(codemod.__module__)
    assert top(found) <= {"libcst", "codemods"} | sys.stdlib_module_names
    assert [name for name in found if name.startswith("codemods") and not name.startswith("codemods.kit.")] == []
    assert [name for name in found if _is_libcst(name)] == []


def test_the_second_floor_has_no_doors() -> None:
    outside = {"os", "subprocess", "socket", "urllib", "http", "shutil", "tempfile", "pathlib"}
    opened = [
        f"{module}: {', '.join(sorted(top(imports(module)) & outside))}"
        for module in MODULES
        if FLOORS[room(module)] <= 2 and module != "codemods.kit.api" and top(imports(module)) & outside
    ]
    assert opened == []


def test_only_the_cli_prints_and_exits() -> None:
    """And the `main` of what is run as `python -m`, and what runs inside the processes of a smoke run."""
    loud = [
        f"{module} line {node.lineno}"
        for module in MODULES
        if FLOORS[room(module)] < 5 and not module.startswith("migrate.smoke.child")
        for node in _outside_main(tree(module))
        if _is_loud(node)
    ]
    assert loud == []


def _outside_main(node: ast.AST) -> Iterator[ast.expr]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef) and child.name == "main":
            continue
        if isinstance(child, ast.If) and "__name__" in ast.unparse(child.test):
            continue
        if isinstance(child, ast.expr):
            yield child
        yield from _outside_main(child)


def _is_loud(node: ast.expr) -> bool:
    if not isinstance(node, ast.Call):
        return False
    return bool(re.fullmatch(r"print|exit|quit|SystemExit|sys\.exit|os\._exit|click\.echo|sys\.std(out|err)\.write",
                             ast.unparse(node.func)))  # fmt: skip


# --- what a codemod looks like ------------------------------------------------------------------------------------


@EACH_CODEMOD
def test_one_file_one_class_one_name(codemod: type[Codemod]) -> None:
    classes = [node.name for node in tree(codemod.__module__).body if isinstance(node, ast.ClassDef)]
    assert [name for name in classes if not name.startswith("_")] == [codemod.__name__]
    assert "".join(word.capitalize() for word in codemod.name().split("_")) == codemod.__name__


@EACH_CODEMOD
def test_says_what_it_does(codemod: type[Codemod]) -> None:
    for text in (sys.modules[codemod.__module__].__doc__, codemod.__doc__):
        assert text
        first = text.strip().splitlines()[0]
        assert first.endswith("."), first
    assert isinstance(codemod.STAGE, Stage)
    assert codemod.RULES
    assert codemod.EXAMPLES


@EACH_CODEMOD
def test_rules_are_in_the_hundreds_of_their_stage(codemod: type[Codemod]) -> None:
    """What runs last, to see what the others left, speaks of any of their areas."""
    if codemod.STAGE is Stage.JOB:
        pattern = r"LC\d\d|SM\d{3}"
    else:
        pattern = rf"TC[{'1-9' if codemod.STAGE is Stage.TIDY else HUNDREDS[codemod.STAGE] + '9'}]\d\d"
    assert [rule.id for rule in codemod.RULES if not re.fullmatch(pattern, rule.id)] == []


def test_rule_ids_are_unique() -> None:
    counted = Counter(rule.id for codemod in codemods() for rule in codemod.RULES)
    counted.update(rule.id for rule in judging.RULES)
    assert [id for id, times in counted.items() if times > 1] == []


@EACH_CODEMOD
def test_rules_declared_are_the_rules_used(codemod: type[Codemod]) -> None:
    declared = {rule.id for rule in codemod.RULES}
    texts = [
        node.value
        for node in ast.walk(tree(codemod.__module__))
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and re.fullmatch(RULE_ID, node.value)
    ]
    assert set(texts) == declared
    assert [id for id in sorted(declared) if texts.count(id) < 2] == [], "declared and never used"


@EACH_CODEMOD
def test_rules_read_alike(codemod: type[Codemod]) -> None:
    for rule in codemod.RULES:
        assert rule.summary
        for text in (rule.summary, rule.advice):
            assert not text.endswith("."), f"{rule.id}: {text}"
        assert not _begins_a_sentence(rule.summary), f"{rule.id}: {rule.summary}"
        assert not _begins_a_sentence(rule.advice), f"{rule.id}: {rule.advice}"
        if rule.safety is Safety.NOTE:
            assert rule.advice, f"{rule.id} does not say what to do"


def _begins_a_sentence(text: str) -> bool:
    """`The loader is ...`; names keep their capitals: `LBFGS`, `GradScaler`, `CUDA_VISIBLE_DEVICES`, `Adam.step`."""
    word = re.split(r"[\s.(,:;']", text, maxsplit=1)[0]
    return bool(re.fullmatch(r"[A-Z][a-z']*|A", word)) and word not in _NAMES


_NAMES = {"Adam", "Accelerate", "Apex", "Horovod", "Linux", "Python", "SageMaker", "Trainer"}


@EACH_CODEMOD
@pytest.mark.parametrize("target", sorted(TARGETS))
def test_examples_come_out_as_written(codemod: type[Codemod], target: str) -> None:
    for example in codemod.EXAMPLES:
        wanted = getattr(example, target)
        alone = Selection(select=frozenset({codemod.name()}))
        migration = migrate(example.before, target=TARGETS[target], select=alone)
        assert migration.result == (example.before if wanted is None else wanted), migration.reason


@EACH_CODEMOD
def test_has_goldens_with_a_trap(codemod: type[Codemod]) -> None:
    found = cases(codemod.name())
    assert len(found) >= 6
    assert _traps(found)


def test_half_of_all_goldens_are_traps() -> None:
    found = [case for codemod in codemods() for case in cases(codemod.name())]
    assert len(_traps(found)) * 2 >= len(found)


def _traps(found: list[Case]) -> list[Case]:
    """Sources that come back unchanged for a target, and those named as traps, where only something near changes."""
    return [
        case
        for case in found
        if "trap" in case.path.name or any(case.migrated(target).result == case.source for target in TARGETS)
    ]


@cache
def _reported(case: Case) -> frozenset[str]:
    both = [case.migrated(target) for target in TARGETS]
    return frozenset(found.rule for migration in both for found in (*migration.changes, *migration.notes))


@EACH_CODEMOD
def test_every_rule_is_seen_in_a_golden(codemod: type[Codemod]) -> None:
    seen = {rule for case in cases() for rule in _reported(case)}
    missing = [rule.id for rule in codemod.RULES if rule.id not in seen]
    if missing:  # what only an older target needs
        oldest = Target.parse("smtc==1.11")
        older = [migrate(c.source, target=oldest, select=c.alone) for c in cases(codemod.name())]
        seen = {found.rule for migration in older for found in (*migration.changes, *migration.notes)}
    refused = {one[0] for targets in JUDGED.values() for form in targets.values() for one in form.get("said", ())}
    assert [rule for rule in missing if rule not in seen | refused] == []  # what no launcher starts is no golden


@pytest.mark.parametrize("rule", [r for codemod in codemods() for r in codemod.RULES], ids=lambda rule: rule.id)
def test_an_ignored_rule_is_left_out_and_the_rest_still_works(rule: Rule) -> None:
    """In the shortest golden that shows the rule, so a rule without one counts as not seen above."""
    found = [case for case in cases() if rule.id in _reported(case)]
    if not found:
        pytest.skip("no golden shows it")
    case = min(found, key=lambda case: len(case.source))
    for target in TARGETS.values():
        select = Selection(select=case.alone.select, ignore=frozenset({rule.id}))
        migration = migrate(case.source, target=target, select=select)
        assert migration.status.value != "failed", migration.reason
        assert rule.id not in {found.rule for found in (*migration.changes, *migration.notes)}


def test_pages_are_fresh() -> None:
    assert list(stale()) == [], "run python -m migrate.docs"
