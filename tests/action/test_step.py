"""The step of the Action: what it says, what it leaves, what it fails for."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from migrate import migrate
from migrate.action import migrating
from migrate.action.inputs import Inputs, read_inputs
from migrate.action.step import step
from migrate.migration import MigrateError
from tests.action.conftest import SCRIPT, Checkout
from tests.action.runner import SHOWN

MIGRATED = migrate(SCRIPT, target="smtc").result
PLAIN = "print('nothing of torch')\n"
KERNEL = "import torch\nimport cupy\n\nx = torch.zeros(3).cuda()\ny = cupy.zeros(3)\n"
"""With a note of severity `error`."""
UNPARSABLE = "import torch\nx = torch.zeros(3).cuda()\nif x\n"
SCHEMA = json.loads((Path(__file__).parents[1] / "schemas" / "sarif-2.1.0.json").read_text())


def test_check_fails_and_says_what_there_is(checkout: Checkout) -> None:
    checkout.commit({"src/train.py": SCRIPT, "other.py": PLAIN})
    done = checkout.step()
    assert done.code == 1
    (error,) = done.log.annotations("error")
    assert error.data.startswith("1 file would be migrated, 1 unchanged; 1 edit: ")
    assert (done.outputs["changed"], done.outputs["errors"]) == ("1", "0")
    assert "**1 file would be migrated, 1 unchanged; 1 edit**" in done.summary
    assert "+model = torch.nn.Linear(3, 3).to(device)" in done.summary
    assert checkout.git("status", "--porcelain") == ""


def test_check_of_what_is_migrated_passes(checkout: Checkout) -> None:
    checkout.commit({"train.py": MIGRATED, "other.py": PLAIN})
    done = checkout.step()
    assert done.code == 0
    assert done.log.commands == []
    assert done.outputs["changed"] == "0"


@pytest.mark.parametrize(
    ("script", "codes"),
    [(PLAIN, (0, 0, 0)), (SCRIPT, (1, 0, 0)), (KERNEL, (1, 1, 0)), (UNPARSABLE, (2, 2, 0))],
    ids=["nothing", "edits", "an error", "trouble"],
)
def test_what_a_check_fails_for(checkout: Checkout, script: str, codes: tuple[int, ...]) -> None:
    checkout.commit({"train.py": script})
    found = [checkout.step(fail_on=level) for level in ("any", "error", "never")]
    assert tuple(done.code for done in found) == codes
    assert all(done.summary == found[0].summary for done in found)


def test_an_annotation_is_at_its_line(checkout: Checkout) -> None:
    checkout.commit({"a,b/tr:ain.py": KERNEL, "old.py": UNPARSABLE})
    done = checkout.step(fail_on="error")
    own, *errors = done.log.annotations("error")
    assert own.properties == {"title": "tc-migrate"}
    places = {(each.properties["file"], each.properties.get("line")) for each in errors}
    assert places == {("a,b/tr:ain.py", "2"), ("old.py", None)}
    assert done.outputs["errors"] == "1"


def test_the_gravest_are_annotated(checkout: Checkout) -> None:
    """The runner shows the first ten of a level: the others are in the summary and in the SARIF file."""
    step = "import torch\nfrom torch.utils.data import DataLoader\nmodel = torch.nn.Linear(3, 1).cuda()\n" + "".join(
        f"loader{number} = DataLoader(data, 8)\nfor x in loader{number}:\n    print(model(x.cuda()).item())\n"
        for number in range(20)
    )
    checkout.commit({"a.py": step, "z.py": KERNEL})
    done = checkout.step()
    log = Path(done.outputs["sarif"]).read_text()
    results = json.loads(log)["runs"][0]["results"]
    warnings = [each for each in results if each["level"] == "warning"]
    assert len(warnings) > SHOWN
    assert len([each for each in done.log.commands if each.name == "warning"]) == len(warnings)
    assert "z.py" in [each.properties.get("file") for each in done.log.annotations("error")]
    for result in warnings:
        line = result["locations"][0]["physicalLocation"]["region"]["startLine"]
        assert f"`a.py:{line}`" in done.summary


def test_the_sarif_file_is_valid_and_not_in_the_checkout(checkout: Checkout) -> None:
    checkout.commit({"src/train.py": KERNEL, "old.py": UNPARSABLE})
    path = Path(checkout.step().outputs["sarif"])
    assert path.is_relative_to(checkout.temporary)
    log = json.loads(path.read_text())
    jsonschema.validators.validator_for(SCHEMA)(SCHEMA).validate(log)
    places = [place["physicalLocation"] for each in log["runs"][0]["results"] for place in each["locations"]]
    assert {place["artifactLocation"]["uri"] for place in places} == {"src/train.py"}
    again = Path(checkout.step().outputs["sarif"])
    assert again != path, "two steps of a job, each with its findings"
    assert again.read_bytes() == path.read_bytes()


def test_fix_leaves_the_migration_in_the_checkout(checkout: Checkout) -> None:
    checkout.commit({"train.py": SCRIPT, "other.py": PLAIN})
    # Of a step before.
    (checkout.folder / "train.py").write_text("# new\n" + SCRIPT)
    done = checkout.step(mode="fix")
    assert (done.code, done.log.commands, done.outputs["changed"]) == (0, [], "1")
    assert (checkout.folder / "train.py").read_text() == "# new\n" + MIGRATED
    assert checkout.git("status", "--porcelain") == " M train.py\n"
    assert "**1 file migrated, 1 unchanged; 1 edit**" in done.summary
    assert checkout.step(mode="check").code == 0


def test_fix_fails_for_what_no_edit_can_do(checkout: Checkout) -> None:
    checkout.commit({"train.py": KERNEL})
    assert checkout.step(mode="fix").code == 1
    assert checkout.step(mode="fix", fail_on="never").code == 0
    assert ".to(device)" in (checkout.folder / "train.py").read_text()


def test_inputs_reach_the_run(checkout: Checkout) -> None:
    checkout.commit({"a b.py": SCRIPT, "c.py": SCRIPT, "d.py": SCRIPT})
    done = checkout.step(mode="fix", paths="a b.py\n\n  c.py\n", target="torch-xla==2.9", safety="exact")
    assert done.outputs["changed"] == "2"
    assert "torch_xla.device()" in (checkout.folder / "a b.py").read_text()
    assert (checkout.folder / "d.py").read_text() == SCRIPT
    assert checkout.step(select="optimizer_step, TC2", paths="d.py").code == 0
    assert checkout.step(ignore="device,TC1", paths="d.py").code == 0


def test_a_checkout_below_the_workspace(checkout: Checkout) -> None:
    checkout.commit({"below/pyproject.toml": '[tool.tc-migrate]\nexclude = ["old"]\n', "below/old/train.py": SCRIPT})
    assert checkout.step().code == 1
    assert checkout.step(working_directory="below").code == 0


@pytest.mark.parametrize(
    ("inputs", "said"),
    [
        ({"mode": "Check"}, "`mode` is one of check, fix, pr"),
        ({"fail_on": "high"}, "`fail-on` is one of any, error, never"),
        ({"safety": "none"}, "`safety` is one of review, exact"),
        ({"target": "tpu"}, "tpu"),
        ({"select": "TC1,nothing"}, "nothing"),
        ({"paths": "train.py\nmissing.py", "fail_on": "never"}, "there is no missing.py"),
        ({"paths": "lib/*.py"}, "there is no lib/*.py"),
        ({"working_directory": "missing"}, "missing"),
        ({"version": "1.0; rm"}, "`version`"),
    ],
    ids=str,
)
def test_a_wrong_input_is_named(checkout: Checkout, inputs: dict[str, str], said: str) -> None:
    checkout.commit({"train.py": SCRIPT})
    done = checkout.step(**inputs)
    assert done.code == 2
    assert any(said in error.data for error in done.log.annotations("error")), done.log


def test_inputs_have_defaults() -> None:
    nothing = Inputs("check", (".",), "", None, (), (), None, "any", "", "")
    assert read_inputs({}) == nothing
    assert read_inputs({"INPUT_PATHS": " \n ", "INPUT_SAFETY": "", "INPUT_SELECT": ", "}) == nothing
    with pytest.raises(MigrateError, match="and not pull"):
        read_inputs({"INPUT_MODE": "pull"})


def test_a_summary_has_a_size(checkout: Checkout, monkeypatch: pytest.MonkeyPatch) -> None:
    assert migrating.SUMMARY_SIZE < 1024 * 1024
    monkeypatch.setattr(migrating, "SUMMARY_SIZE", 20_000)
    monkeypatch.chdir(checkout.folder)
    layers = "".join(f"layer{number} = torch.nn.Linear(3, 3).cuda()\n" for number in range(60))
    checkout.commit({f"{'long folder/' * 9}{number}.py": f"{KERNEL}{layers}" for number in range(4)})
    summary = checkout.temporary / "summary"
    assert step({"GITHUB_STEP_SUMMARY": str(summary), "RUNNER_TEMP": str(checkout.temporary)}) == 1
    text = summary.read_text()
    assert 10_000 < len(text.encode()) <= 20_000
    assert "more do not fit here" in text
    assert text.count("<details>") == text.count("</details>") > 0
    assert text.index("To design anew (4)") < text.index("Proposed diffs")
