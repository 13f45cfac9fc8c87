"""Notebooks: goldens, bytes that stay, magics that come back, what the command line shows and writes."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import jsonschema
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

import migrate
from codemods.kit.cell_marks import split
from codemods.kit.targets import Target
from migrate.cli import main
from migrate.migration import Status
from migrate.notebooks.cells import NotANotebook, read_notebook
from migrate.notebooks.magics import Masks, parses
from migrate.notebooks.prepared import PreparedNotebook, damage
from tests.goldens import TARGETS, read_text
from tests.notebook_goldens import FOLDER, NotebookCase, bless_notebook, notebook_cases, notebook_notes
from tests.notebooks_roundtrip import check
from tests.test_reports import fixed

CASES = notebook_cases()
RENDER = Path(migrate.__file__).parent / "render"
EACH = pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
EACH_TARGET = pytest.mark.parametrize("target", sorted(TARGETS))


def notebook(*sources: str, **style: object) -> str:
    """A notebook of code cells, in the style of `json.dumps`."""
    cells = [
        {"cell_type": "code", "execution_count": n, "metadata": {}, "outputs": [], "source": source.splitlines(True)}
        for n, source in enumerate(sources, 1)
    ]
    return json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 4}, **style)  # type: ignore[arg-type]


# --- goldens --------------------------------------------------------------------------------------------------------


@EACH
def test_comes_out_as_written_down(case: NotebookCase, blessing: bool) -> None:
    if blessing:
        bless_notebook(case)
    for target in TARGETS:
        migration = case.migrated(target)
        assert migration.status is not Status.FAILED, migration.reason + "\n" + migration.traceback
        assert migration.result == case.expected(target), f"{target} differs"
    assert notebook_notes(case) == (read_text(case.notes) if case.notes.exists() else "")


@EACH
@EACH_TARGET
def test_keeps_its_promises(case: NotebookCase, target: str) -> None:
    """Bytes of unedited cells, valid for nbformat, nothing moved between cells, a second run, every place."""
    assert list(check(case.migrated(target), Counter(), TARGETS[target])) == []


def test_no_stray_files() -> None:
    known = {case.path for case in CASES} | {case.notes for case in CASES}
    known |= {case.output(target) for case in CASES for target in TARGETS}
    assert [path for path in FOLDER.rglob("*") if path not in known] == []


# --- the JSON -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "style",
    [{"indent": 1}, {"indent": 2}, {"indent": "\t"}, {}, {"separators": (",", ":")}, {"sort_keys": True, "indent": 4}],
    ids=str,
)
@pytest.mark.parametrize("ascii", [True, False])
def test_an_edit_is_written_in_the_style_of_the_file(style: dict[str, object], ascii: bool) -> None:
    before = notebook("a = 'é'\nb = 2", "c", ensure_ascii=ascii, **style)
    after = notebook("a = 'é'\nx = 'ü'\nb = 2", "c", ensure_ascii=ascii, **style)
    assert read_notebook(before).with_sources({1: "a = 'é'\nx = 'ü'\nb = 2", 2: "c"}) == after


def test_one_line_becomes_two_in_the_layout_around_it() -> None:
    for style in ({"indent": 1}, {}, {"separators": (",", ":")}):
        before, after = notebook("a", "b\nc", **style), notebook("a\nx", "b\nc", **style)
        assert read_notebook(before).with_sources({1: "a\nx"}) == after


def test_a_source_that_is_one_string_stays_one() -> None:
    text = '{"nbformat": 4, "cells": [{"cell_type": "code", "source": "a\\nb"}]}'
    assert read_notebook(text).with_sources({1: "a"}) == text.replace('"a\\nb"', '"a"')


def test_lines_that_stay_keep_their_escapes() -> None:
    text = '{"nbformat": 4, "cells": [{"source": ["# \\u00e9 \\/\\n", "b"], "cell_type": "code"}]}'
    assert read_notebook(text).with_sources({1: "# é /\nc"}) == text.replace('"b"', '"c"')


def test_a_line_of_a_cell_is_a_line_of_the_file() -> None:
    text = notebook("a\nb", "c\nd\ne", indent=1)
    read = read_notebook(text)
    lines = text.split("\n")
    for cell in read.cells:
        for number, line in enumerate(cell.source.split("\n"), 1):
            assert json.loads(lines[read.line(cell, number) - 1].strip().rstrip(",")).rstrip("\n") == line


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{", "{}", '{"nbformat": 4}', '{"nbformat": 4, "cells": 3}', '{"nbformat": 4, "cells": [3]}',
     '{"nbformat": 4, "cells": [{"source": [3]}]}', "[" * 100_000, '{"nbformat": 5, "cells": []}'],
)  # fmt: skip
def test_what_is_no_notebook_is_skipped_with_a_reason(text: str) -> None:
    with pytest.raises(NotANotebook):
        read_notebook(text)
    migration = migrate.migrate(text, path="a.ipynb")
    assert migration.status is Status.SKIPPED
    assert migration.result == text
    assert migration.reason


def test_damage_is_seen() -> None:
    before = notebook("a", "b", indent=1)
    assert damage(before, notebook("a", "c", indent=1)) == ""
    assert damage(before, before.replace('"execution_count": 2', '"execution_count": 3')) != ""


# --- magics ---------------------------------------------------------------------------------------------------------

MAGICS = ["%matplotlib inline", "!pip install x \\\n  --upgrade", "x = !ls", "x, y = %run a.py", "model?", "??model",
          "if x:\n    !ls\n    %cd a", "%time x = f()", "%time x = (", "%%time\nx = 1", "%%capture out\n!ls\nx = 1",
          "f(\n)\n%pwd", "'''\n%no\n'''\n%yes", "x = (1\n  % 2)\n!ls", "%env A='b\\'", "a.b?", "!echo \"a\" # b",
          "pip install x", "%%bash\nls", "%%html\n<b>", "%time\n", "%time  x = 1;"]  # fmt: skip


@pytest.mark.parametrize("cell", MAGICS)
def test_a_masked_cell_is_python_and_comes_back(cell: str) -> None:
    masks = Masks()
    masked = masks.mask(cell) if not cell.startswith(("%%bash", "%%html")) else masks.opaque(cell)
    assert parses(masked) or cell.startswith("%time x = (")
    assert masks.restore(masked, masked) == cell
    assert masked.count("\n") == cell.count("\n")


@given(st.lists(st.sampled_from([*MAGICS, "x = 1", "'''", "(", ")", "# a", "", "  y", "\\"]), max_size=8))
def test_any_cell_comes_back(lines: list[str]) -> None:
    masks = Masks()
    cell = "\n".join(lines)
    masked = masks.mask(cell)
    assert masks.restore(masked, masked) == cell


def test_python_is_not_masked() -> None:
    for cell in ("x = a \\\n  % b", "x = '''\n!ls\n'''", "a != b", "x %= 3", "print('%s?' % x)", "# why?"):
        assert Masks().mask(cell) == cell


def test_cells_out_of_order_are_not_split() -> None:
    one, two = "_tc_migrate_end_of_cell_1\n", "_tc_migrate_end_of_cell_2\n"
    assert split(f"a\n{one}b\n{two}") == {1: "a", 2: "b"}
    assert split(f"a\n{two}b\n{one}") is None
    assert split(f"a\n{one}b\n") is None


def test_a_magic_that_would_get_lost_fails_the_notebook() -> None:
    masks = Masks()
    masked = masks.mask("%cd a\nx = 1\n!ls\n")
    first, second, third, _ = masked.split("\n")
    assert masks.restore(masked.replace("  # %cd a", ""), masked) is None
    assert masks.restore(masked + masked, masked) is None
    assert masks.restore(f"{second}\n{third}\n", masked) is None
    assert masks.restore(f"{third}\n{second}\n{first}\n", masked) is None
    assert masks.restore(f"{first}\ny = 2\n{third}\n", masked) == "%cd a\ny = 2\n!ls\n"


def test_a_magic_goes_with_a_branch_that_never_runs() -> None:
    branches = "if torch.cuda.is_available():\n    !nvidia-smi\nelse:\n    !pip install cpu-only\n%pwd\nx.cuda()"
    done = migrate.migrate(notebook("import torch\nx = torch.ones(2)", branches), path="a.ipynb")
    assert done.status is Status.MIGRATED
    assert "pip install" not in done.result
    assert "!nvidia-smi" in done.result
    assert "%pwd" in done.result


@pytest.mark.parametrize(
    "first", ["# tc-migrate: off\nimport torch", "%pip install x\n# tc-migrate: off\nimport torch"]
)
def test_a_notebook_is_switched_off_in_its_first_cell(first: str) -> None:
    done = migrate.migrate(notebook(first, CUDA), path="a.ipynb")
    assert (done.status, done.reason) == (Status.UNCHANGED, "switched off by a comment")


# --- the doors ------------------------------------------------------------------------------------------------------

CUDA = "import torch\nx = torch.ones(2).cuda()"


def run(*words: str | Path) -> tuple[int, str, str]:
    done = CliRunner().invoke(main, [str(word) for word in words])
    return done.exit_code, done.stdout, done.stderr


def test_the_diff_is_shown_by_cell(tmp_path: Path) -> None:
    (tmp_path / "a.ipynb").write_text(notebook("# first", CUDA, "y = x.cpu()", indent=1))
    code, shown, said = run(tmp_path / "a.ipynb")
    assert code == 0
    assert "@@ cell 2 [In 2], line 1 @@" in shown
    assert "+x = torch.ones(2).to(device)" in shown
    assert "cell 3" not in shown
    assert "1 file migrated" in said


def test_a_folder_has_notebooks_too_and_git_apply_passes_over_them(tmp_path: Path) -> None:
    (tmp_path / "a.ipynb").write_text(notebook(CUDA, indent=1))
    (tmp_path / "b.py").write_text(CUDA + "\n")
    (tmp_path / ".ipynb_checkpoints").mkdir()
    (tmp_path / ".ipynb_checkpoints" / "a-checkpoint.ipynb").write_text(notebook(CUDA))
    _, shown, said = run(tmp_path)
    assert "2 files migrated" in said
    headers = [line for line in shown.splitlines() if line.startswith(("--- ", "+++ ", "@@ -", "=== "))]
    assert [header[:4] for header in headers] == ["=== ", "--- ", "+++ ", "@@ -"]


def test_write_changes_only_the_sources(tmp_path: Path) -> None:
    path = tmp_path / "a.ipynb"
    before = notebook("# first", CUDA, indent=1) + "\n"
    path.write_text(before)
    assert run("--write", "--force", path)[0] == 0
    after = path.read_text()
    assert damage(before, after) == ""
    assert after.split('"source": [\n    "import torch')[0] == before.split('"source": [\n    "import torch')[0]
    assert run("--check", path)[0] == 0


def test_findings_say_the_cell(tmp_path: Path) -> None:
    path = tmp_path / "a.ipynb"
    path.write_text(notebook("import torch", "!nvidia-smi\nx = torch.ones(2).cuda()", indent=1))
    _, shown, said = run("--format", "json", path)
    report = json.loads(shown)
    jsonschema.validate(report, json.loads((RENDER / "report.schema.json").read_text()))
    (note,) = report["files"][0]["notes"]
    assert note["place"] == {"cell": 2, "execution_count": 2, "line": 1}
    assert "nvidia-smi" in path.read_text().splitlines()[note["line"] - 1]
    for form in ("text", "markdown", "junit", "github"):
        assert "cell 2 [In 2]:1" in "".join(run("--format", form, path)[1:])
    assert "cell 2 [In 2], line" in run("--format", "html", path)[1]
    sarif = json.loads(run("--format", "sarif", path)[1])
    places = [place["message"]["text"] for result in sarif["runs"][0]["results"] for place in result["locations"]]
    assert "cell 2 [In 2]:1" in places
    assert said == ""


@EACH
def test_the_sarif_fixes_of_a_notebook_are_its_migration(case: NotebookCase, tmp_path: Path) -> None:
    path = tmp_path / "a.ipynb"
    path.write_bytes(case.path.read_bytes())
    results = json.loads(run("--format", "sarif", path)[1])["runs"][0]["results"]
    assert fixed(read_text(path), results) == case.expected("smtc")


def test_annotations_go_into_the_cell(tmp_path: Path) -> None:
    path = tmp_path / "a.ipynb"
    path.write_text(notebook("import torch", "!nvidia-smi\nx = torch.ones(2).cuda()", indent=1))
    assert "+# TODO(tc-migrate TC783)" in run("--annotate", path)[1]


def test_interactive_takes_some_cells(tmp_path: Path) -> None:
    path = tmp_path / "a.ipynb"
    path.write_text(notebook(CUDA, "torch.backends.cudnn.benchmark = True\n1", indent=1))
    done = CliRunner().invoke(main, ["-i", str(path)], input="n\ny\n")
    assert done.exit_code == 0, done.output
    sources = ["".join(cell["source"]) for cell in json.loads(path.read_text())["cells"]]
    assert sources == [CUDA, "1"]


def test_standard_input_by_name() -> None:
    done = CliRunner().invoke(main, ["-", "--stdin-filename", "a.ipynb", "--write"], input=notebook(CUDA, indent=1))
    assert ".to(device)" in json.loads(done.stdout)["cells"][0]["source"][-1]


ENGINE = """\
def train(model, loader, optimizer):
    for x in loader:
        optimizer.zero_grad()
        model(x).sum().backward()
        optimizer.step()
"""
CALLS_ENGINE = """\
model = torch.nn.Linear(4, 1).cuda()
optimizer = torch.optim.SGD(model.parameters(), 0.1)
loader = torch.utils.data.DataLoader(data, drop_last=True)
train(model, loader, optimizer)"""


def test_a_notebook_says_what_it_hands_to_a_module(tmp_path: Path) -> None:
    (tmp_path / "engine.py").write_text(ENGINE)
    (tmp_path / "a.ipynb").write_text(notebook("import torch\nfrom engine import train", CALLS_ENGINE))
    _, shown, _ = run(tmp_path)
    assert "+++ b/" in shown
    assert "+        xm.optimizer_step(optimizer" in shown


FLAGS = """\
import argparse
import torch

parser = argparse.ArgumentParser()
parser.add_argument("--fast", action="store_true")
args = parser.parse_args()
"""
LAUNCHES = """\
estimator = PyTorch(entry_point="train.py", source_dir="code", role=role, instance_count=1,
                    instance_type="ml.p3.2xlarge", framework_version="1.13.1", py_version="py39",
                    hyperparameters={"fast": True})"""


def test_a_launcher_is_held_against_its_script_on_disk_and_in_a_cell(tmp_path: Path) -> None:
    imports = "from sagemaker.pytorch import PyTorch"
    (tmp_path / "code").mkdir()
    (tmp_path / "code" / "train.py").write_text(FLAGS)
    (tmp_path / "a.ipynb").write_text(notebook(imports, LAUNCHES))
    assert "cell 2 [In 2]:3: error SM014" in run(tmp_path)[2]
    written = notebook(imports, f"%%writefile code/train.py\n{FLAGS}", LAUNCHES)
    said = migrate.migrate(written, path="a.ipynb").notes
    assert [str(note.place) for note in said if note.rule == "SM014"] == ["cell 3 [In 3]:3"]


def test_the_public_function_takes_notebooks() -> None:
    done = migrate.migrate(notebook(CUDA), path="a.ipynb", target="torch-xla==2.9")
    assert done.status is Status.MIGRATED
    assert {change.place.cell for change in done.changes if change.place} == {1}
    assert Target.parse("torch-xla==2.9").name == done.target


def test_a_percent_script_is_a_script() -> None:
    text = "# %% [markdown]\n# Text with .cuda()\n\n# %%\n# %matplotlib inline\n"
    source = f"# %%\nimport torch\n\n{text}x = torch.ones(2).cuda()\n"
    done = migrate.migrate(source, path="a.py")
    assert "# %% [markdown]\n# Text with .cuda()\n" in done.result
    assert done.result.endswith("x = torch.ones(2).to(device)\n")


def test_nbformat_is_loaded_only_for_a_notebook_that_changes() -> None:
    code = (
        "import sys, migrate; print(migrate.migrate(sys.argv[1], path=sys.argv[2]).status, 'nbformat' in sys.modules)"
    )
    for text, path, said in (
        (CUDA, "a.py", "Status.MIGRATED False"),
        (notebook("x = 1"), "a.ipynb", "Status.UNCHANGED False"),
        (notebook(CUDA), "a.ipynb", "Status.MIGRATED True"),
    ):
        done = subprocess.run([sys.executable, "-c", code, text, path], capture_output=True, text=True, check=True)
        assert done.stdout.strip() == said


@pytest.mark.parametrize(
    ("cell", "is_said"),
    [
        ("%pip install sagemaker==3.1.0", True),
        ('!pip install "sagemaker==2.100.0"', True),
        ("!pip install -qU sagemaker boto3", True),
        ("%pip install --upgrade sagemaker", True),
        ("%pip install 'sagemaker>=2.133,<3' -U", False),
        ("%pip install -U sagemaker-experiments", False),
        ("%pip install sagemaker", False),
    ],
)
def test_the_sdk_that_a_cell_installs(cell: str, is_said: bool) -> None:
    job = 'from sagemaker.pytorch import PyTorch\nPyTorch(entry_point="train.py", instance_type="ml.p3.2xlarge")'
    notes = PreparedNotebook(notebook(cell, job)).migrate(target=TARGETS["smtc"]).notes
    assert [note.rule for note in notes if note.rule == "SM018"] == ["SM018"] * is_said
