"""The lint table's numbers: each names rules there are, is shown by a golden, and is taken wherever a rule is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from codemods.kit.targets import SMTC
from migrate.aliases import ALIASES, aliases_of
from migrate.cli import main
from migrate.pipeline import migrate
from migrate.registry import Selection, rules
from tests.goldens import Case, cases

LINT = {case.path.name[:5].upper(): case for case in cases("lint")}
LAUNCHER_EDITS = ("LC03", "LC04", "LC08", "LC09", "LC10", "LC13")
EACH = pytest.mark.parametrize("id", list(LINT))
EACH_ALIAS = pytest.mark.parametrize("id", list(ALIASES))
EACH_LAUNCHER_EDIT = pytest.mark.parametrize("id", LAUNCHER_EDITS)
GUARDED = """\
import torch_xla.core.xla_model as xm

if xm.is_master_ordinal():
    xm.save(state, "model.pt")
"""


def reported(case: Case) -> set[str]:
    migration = case.migrated("smtc")
    return {found.rule for found in (*migration.changes, *migration.notes)}


def test_the_table_is_complete() -> None:
    lint = [f"TS{number:03}" for number in range(1, 28)]
    assert list(ALIASES) == [*lint, *LAUNCHER_EDITS]
    assert sorted(LINT) == lint


@EACH_ALIAS
def test_an_alias_means_rules_there_are(id: str) -> None:
    assert [rule for rule in ALIASES[id].rules if rule not in rules()] == []


@EACH
def test_a_golden_shows_it_for_the_training_compiler(id: str) -> None:
    assert reported(LINT[id]) & set(ALIASES[id].rules)


@EACH
def test_a_rule_is_selected_and_ignored_by_its_alias(id: str) -> None:
    case, wanted = LINT[id], set(ALIASES[id].rules)
    selected = migrate(case.source, path=case.path.name, target=SMTC, select=Selection(frozenset({id})))
    found = {found.rule for found in (*selected.changes, *selected.notes)}
    assert found
    assert found <= wanted
    ignored = migrate(case.source, path=case.path.name, target=SMTC, select=Selection(ignore=frozenset({id})))
    assert not {found.rule for found in (*ignored.changes, *ignored.notes)} & wanted


@EACH_LAUNCHER_EDIT
def test_an_edit_of_launchers_is_selected_by_its_own_name(id: str) -> None:
    found = set()
    for case in cases("launchers"):
        migration = migrate(case.source, path=case.path.name, target=SMTC, select=Selection(frozenset({id})))
        found |= {each.rule for each in (*migration.changes, *migration.notes)}
    assert found
    assert found <= set(ALIASES[id].rules)


def test_no_number_of_a_launcher_edit_is_free() -> None:
    """LC01 to the last: each is a rule or an alias."""
    known = {id for id in (*rules(), *ALIASES) if id.startswith("LC")}
    assert known == {f"LC{number:02}" for number in range(1, len(known) + 1)}


def test_a_comment_takes_an_alias() -> None:
    assert migrate(GUARDED, target=SMTC).changes
    kept = GUARDED.replace("ordinal():", "ordinal():  # tc-migrate: ignore[TS016]")
    assert migrate(kept, target=SMTC).changes == ()


def test_reports_name_the_alias(tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    script.write_text(GUARDED)
    text = CliRunner().invoke(main, ["--target", "smtc", "--format", "json", str(script)]).stdout
    (change,) = json.loads(text)["files"][0]["changes"]
    assert (change["rule"], change["aliases"]) == ("TC602", ["TS016"])
    text = CliRunner().invoke(main, ["--no-verify", "--target", "smtc", "--format", "sarif", str(script)]).stdout
    (described,) = json.loads(text)["runs"][0]["tool"]["driver"]["rules"]
    assert "TS016" in described["properties"]["tags"]


def test_an_alias_is_explained() -> None:
    text = CliRunner().invoke(main, ["explain", "ts016"]).stdout
    assert text.startswith("TS016  ")
    assert all(rule in text for rule in ALIASES["TS016"].rules)
    assert aliases_of("TC602") == ("TS016",)
    assert "alias     TS016" in CliRunner().invoke(main, ["explain", "TC602"]).stdout


def test_a_word_that_is_no_alias_is_refused() -> None:
    with pytest.raises(ValueError, match="TS099"):
        Selection(select=frozenset({"TS099"}))
