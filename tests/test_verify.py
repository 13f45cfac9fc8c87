"""`tc-migrate verify`, and where the certificate of a run is shown."""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path

import jsonschema
import pytest
from click.testing import CliRunner, Result

from codemods.kit.meaning import record
from migrate.bot.body import Proposal, write_body
from migrate.bot.origin import Origin
from migrate.cli import main
from migrate.engine.certificate import Certificate, Finding, LoopCertificate, Standing
from migrate.engine.obligations import kinds
from migrate.migration import Migration, Status
from migrate.render.certificates import Certificates, certificate_lines
from migrate.render.entry import Entry, Run
from migrate.render.formats import open_report
from tests.goldens import TARGETS
from tests.training_script import TRAIN

HOUSE = Path(__file__).parent.parent
XLA = ("--target", "torch-xla==2.9")
SHOWN = """\
import torch
import torch_xla.core.xla_model as xm

model = torch.nn.Linear(3, 3).to(xm.xla_device())
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for x in [torch.ones(3), torch.ones(3)]:
    optimizer.zero_grad()
    model(x.to(xm.xla_device())).sum().backward()
    xm.optimizer_step(optimizer, barrier=True)
"""
VIOLATED = SHOWN.replace(", barrier=True", "")
STEP = "    xm.optimizer_step(optimizer, barrier=True)"
ORIGINAL = TRAIN.replace("def train(loader):\n    for x in loader:", "for y in [1]:\n    for x in [torch.ones(3)]:")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def put(folder: Path, **texts: str) -> None:
    folder.mkdir(exist_ok=True)
    for name, text in texts.items():
        (folder / f"{name}.py").write_text(text)


def call(*arguments: str) -> Result:
    return CliRunner().invoke(main, arguments, prog_name="tc-migrate", catch_exceptions=False)


# --- the command ------------------------------------------------------------------------------------------------------


def test_what_is_shown_exits_with_0_and_what_is_not_with_1(folder: Path) -> None:
    put(folder, good=SHOWN, bad=VIOLATED)
    good, bad = call("verify", "good.py", *XLA), call("verify", "bad.py", *XLA)
    assert (good.exit_code, bad.exit_code) == (0, 1)
    assert good.stdout.splitlines()[:2] == ["good.py:6  training loop", "  | for x in [torch.ones(3), torch.ones(3)]:"]
    assert good.stdout.splitlines()[-1] == "certificate: 1 training loop: 1 shown"
    assert "bad.py:6  violated" in bad.stdout.splitlines()
    assert "1 violated" in bad.stdout.splitlines()[-1]


def test_a_script_is_read_with_what_it_imports(folder: Path) -> None:
    put(folder, train="from steps import step\n" + SHOWN.replace(STEP, "    step(optimizer)"))
    put(folder, steps=f"import torch_xla.core.xla_model as xm\n\n\ndef step(optimizer):\n{STEP}\n")
    result = call("verify", "train.py", *XLA, "--format", "json")
    (program,) = json.loads(result.stdout)["programs"]
    assert (result.exit_code, program["files"]) == (0, ["train.py", "steps.py"])


def test_against_an_original_its_losses_are_found(folder: Path) -> None:
    """The original steps; the result, which by itself only has nothing to show, does not."""
    put(folder, train=ORIGINAL, train_xla=SHOWN.replace(STEP, "    xm.mark_step()"))
    alone = call("verify", "train_xla.py", *XLA)
    both = call("verify", "train_xla.py", "--original", "train.py", *XLA)
    assert both.exit_code == 1
    assert "is not done any more" in both.stdout
    assert "is not reached any more" not in alone.stdout


def test_folders_are_matched_by_the_same_paths(folder: Path) -> None:
    put(folder / "xla", one=SHOWN, two=VIOLATED, page="x = 1\n")
    put(folder / "cuda", one=TRAIN, two=TRAIN)
    found = call("verify", "xla", "--original", "cuda", *XLA, "--format", "json")
    programs = json.loads(found.stdout)["programs"]
    assert [each["files"] for each in programs] == [["xla/one.py"], ["xla/two.py"]]
    assert found.exit_code == 1


def test_trouble_of_the_world_exits_with_2(folder: Path) -> None:
    put(folder, broken="import torch_xla\nfor\n", good=SHOWN)
    assert call("verify", "gone.py").exit_code == 2
    assert call("verify", "good.py", "--target", "nonsense").exit_code == 2
    assert call("verify", "good.py", "--original", ".").exit_code == 2
    result = call("verify", "broken.py", *XLA)
    assert result.exit_code == 2
    assert "broken.py: does not parse: invalid syntax (line 2)" in result.stderr


def test_a_folder_in_which_nothing_is_on_torch_xla_has_nothing_to_judge(folder: Path) -> None:
    put(folder, cuda=TRAIN)
    result = call("verify", ".", *XLA)
    assert (result.exit_code, result.stdout) == (0, "certificate: nothing here trains on torch_xla\n")


def test_sarif_has_the_lines_of_the_script_that_was_judged(folder: Path) -> None:
    put(folder, bad="# above\n" + VIOLATED, train=TRAIN)
    report = json.loads(call("verify", "bad.py", "--original", "train.py", *XLA, "--format", "sarif").stdout)
    schema = json.loads((HOUSE / "tests/schemas/sarif-2.1.0.json").read_text())
    jsonschema.validate(report, schema)
    results = report["runs"][0]["results"]
    places = [one["locations"][0]["physicalLocation"] for one in results if one["ruleId"] == "TC971"]
    assert ("bad.py", 7) in [(one["artifactLocation"]["uri"], one["region"]["startLine"]) for one in places]


# --- the text ---------------------------------------------------------------------------------------------------------

LOOPS = (
    LoopCertificate("a.py", 4, 3, True, (("it is done", Standing.SHOWN), ("it is seen", Standing.VIOLATED))),
    LoopCertificate("a.py", 9, 8, False, (("it is done", Standing.SHOWN), ("cost", Standing.SHOWN))),
)
CHAIN = ("b.py:7", "a.py:2")
FOUND = Finding("it is seen", Standing.VIOLATED, "a.py", 4, "nobody " + "looks " * 30, 3, "a.py:1", CHAIN)
CERTIFICATE = Certificate(LOOPS, (Finding("cost", Standing.COST, "a.py", 5, "it takes long", 4), FOUND), 1, ("a.py",))


@pytest.mark.parametrize("width", [40, 72, 100, 200])
def test_the_text_keeps_to_any_width(width: int) -> None:
    lines = list(certificate_lines(CERTIFICATE, lambda spot: spot, lambda spot: "x = " + "y" * 300, width))
    assert max(map(len, lines)) <= width
    assert " ".join(" ".join(lines).split()).count("nobody looks looks") == 1
    heads = [line for line in lines if line[:1].strip()]
    assert heads == ["a.py:4  training loop", "a.py:9  evaluation loop", "a.py:4  violated", "a.py:5  cost"]


def test_obligations_stand_gravest_first_and_a_cost_that_is_none_is_not_said() -> None:
    lines = list(certificate_lines(CERTIFICATE, lambda spot: spot, lambda spot: "", 80))
    assert lines[1:3] == ["  violated  it is seen", "  shown     it is done"]
    assert lines[4:6] == ["a.py:9  evaluation loop", "  shown     it is done"]
    at = lines.index("  made at   a.py:1")
    assert lines[at + 1 : at + 3] == ["  called at b.py:7", "            a.py:2"]


def test_the_page_tells_of_every_obligation() -> None:
    page = (HOUSE / "docs" / "verify.md").read_text()
    told = re.findall(r"^\| ([^|]+) \|", page.split("## The obligations")[1], re.MULTILINE)
    known = {
        node.value.value
        for room in (record, kinds)
        for node in ast.parse(Path(room.__file__).read_text()).body
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
    }
    assert known
    assert sorted(known - set(told)) == []


# --- where a run shows it ---------------------------------------------------------------------------------------------

EVIL = "<b>|`x`.py"


def entry() -> Entry:
    loop = LoopCertificate(EVIL, 4, 3, True, (("it is <i>seen</i>", Standing.OPEN),))
    lost = Finding("it is <i>seen</i>", Standing.OPEN, EVIL, 4, "<script>no</script>", 3)
    certificate = Certificate((loop,), (lost,), 1, (EVIL,))
    made = Migration(EVIL, "smtc", Status.MIGRATED, "a\n", "b\n", certificate=certificate)
    return Entry(made, EVIL, "b\n")


def report(form: str) -> str:
    made = open_report(form, Run("1", "smtc"))
    return made.add(entry()) + made.add(entry()) + "".join(made.close())


def test_json_has_each_certificate_once_by_the_schema() -> None:
    one = entry()
    made = open_report("json", Run("1", "smtc"))
    said = json.loads(made.add(one) + made.add(one) + "".join(made.close()))
    schema = json.loads((HOUSE / "migrate/render/report.schema.json").read_text())
    jsonschema.validate(said, schema)
    (certificate,) = said["certificates"]
    assert (certificate["files"], certificate["standing"]) == ([EVIL], "open")


def test_html_and_markdown_escape_what_they_show() -> None:
    page, text = report("html"), report("markdown")
    for made in (page, text):
        assert "What was shown" in made
        assert "<i>seen" not in made
        assert "<b>|" not in made
        assert "<script>no" not in made
    assert "certificate: 2 training loops: 2 open" in page


def test_a_pull_request_has_a_row_for_each_loop() -> None:
    origin = Origin("owner/name", "0" * 40)
    body = write_body({EVIL: entry().migration}, Proposal(origin, TARGETS["xla"], "1"), 50_000)
    section = body.split("### What was shown")[1].split("###")[0]
    assert "training loop | open | 0 of 1 shown. open: it is &lt;i&gt;seen" in section
    assert "<b>" not in section


def test_a_run_says_it_in_one_line_unless_he_is_not_asked(folder: Path) -> None:
    put(folder, train=ORIGINAL)
    said = call("train.py", *XLA)
    assert said.stderr.splitlines()[-1].startswith("certificate: 1 training loop: ")
    assert "certificate" not in call("train.py", "--no-verify", *XLA).stderr
    assert "certificate" not in call("train.py", "--select", "device", *XLA).stderr
    (folder / "pyproject.toml").write_text("[tool.tc-migrate]\nverify = false\n")
    assert "certificate" not in call("train.py", *XLA).stderr


def test_a_run_that_finds_nothing_to_migrate_does_not_load_the_engine(folder: Path) -> None:
    import subprocess
    import sys

    put(folder, train=TRAIN, plain="import torch\n\nprint(torch.ones(1))\n")
    code = (
        "import sys; from click.testing import CliRunner; from migrate.cli import main; "
        "assert CliRunner().invoke(main, ['--no-cache', *sys.argv[1:]]).exit_code == 0; "
        "print('codemods.kit.meaning.machine' in sys.modules)"
    )
    for script, loaded in (("plain.py", "False"), ("train.py", "True")):
        run = subprocess.run([sys.executable, "-c", code, script], capture_output=True, text=True, check=True,
                             env={"PYTHONPATH": str(HOUSE), "PATH": "/usr/bin:/bin"})  # fmt: skip
        assert run.stdout.strip() == loaded, script


def test_certificates_of_several_programs_are_summed_up() -> None:
    one, other = (Migration(path, "smtc", Status.MIGRATED, "", "", certificate=Certificate(LOOPS)) for path in "ab")
    assert Certificates([one, one, other]).line == "certificate: 2 training loops: 2 violated"
    empty = Migration("c", "smtc", Status.MIGRATED, "", "", certificate=Certificate())
    assert Certificates([empty]).line == ""
