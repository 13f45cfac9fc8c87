"""`--report-only`: what a project comes to, its own CUDA code and who uses it, and what it costs on XLA."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest
from click.testing import CliRunner, Result

from codemods.kit.rules import Change, Note, Safety, Severity
from migrate.analysis import Analyst
from migrate.callers import Callers
from migrate.cli import main
from migrate.costs import COSTS, Cost
from migrate.findings import Effort
from migrate.kernels import outline
from migrate.migration import Migration, Status
from migrate.registry import rules
from migrate.render.terminal import analysis_text

RENDER = Path(__file__).parent.parent / "migrate" / "render"

SETUP = """\
from setuptools import setup
from torch.utils.cpp_extension import CUDAExtension, CppExtension

extension = CppExtension
if FORCE:
    extension = CUDAExtension
setup(name="det", ext_modules=[extension("det._C", ["csrc/nms.cpp", "csrc/nms_kernel.cu"])])
"""
LAYERS = """\
import torch
from det import _C

class _Align(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return _C.align(x)

align = _Align.apply
nms = _C.nms
"""
HEADS = """\
from torch import nn
from .layers import align as roi_align

class Head(nn.Module):
    def forward(self, x):
        return roi_align(x)

class Other(nn.Module):
    pass
"""
TRAIN = """\
import torch
from det import Head

def main():
    model = Head().cuda()

if __name__ == "__main__":
    main()
"""
PROJECT = {
    "setup.py": SETUP,
    "det/__init__.py": "from .heads import Head, Other\n",
    "det/layers.py": LAYERS,
    "det/heads.py": HEADS,
    "train.py": TRAIN,
}

BUILT = "import torch.utils.cpp_extension as e\nx = e.load('x', ['x.cu'])\ny = e.load('y', ['y.cu'])\n"


def ways(project: dict[str, str]) -> dict[str, list[str]]:
    """By kernel, how it is reached: `align < Head < main`."""
    outlines = {file: outline(file, text) for file, text in project.items()}
    callers = Callers(outlines)
    return {
        kernel.name: [" < ".join(use.name or use.file for use in chain) for chain in callers.chains(kernel)]
        for one in outlines.values()
        for kernel in one.kernels
    }


def test_an_extension_is_followed_through_imports_to_what_starts_it() -> None:
    assert ways(PROJECT) == {"det._C": ["nms", "_Align < align < Head < main < train.py"]}


@pytest.mark.parametrize(
    ("text", "kind", "name", "users"),
    [
        (
            "from torch.utils.cpp_extension import load\nfused = load('fused', ['a.cu'])\n"
            "def act(x):\n    return fused.act(x)\n",
            "extension built at run time", "fused", ["act"],
        ),
        (
            "from torch.utils import cpp_extension\ndef act(x):\n    ext = cpp_extension.load_inline('q', '')\n"
            "    return ext.act(x)\ndef other():\n    pass\n",
            "extension built at run time", "q", ["act"],
        ),
        (
            "import triton\nimport triton.language as tl\n@triton.autotune([])\n@triton.jit\ndef add_kernel(x):\n"
            "    pass\ndef add(x):\n    add_kernel[(1,)](x)\n",
            "Triton kernel", "add_kernel", ["add"],
        ),
        (
            "from numba import cuda\n@cuda.jit\ndef kernel(x):\n    pass\nkernel[1, 2](3)\n",
            "Numba kernel", "kernel", ["x.py"],
        ),
        ("import cupy\nk = cupy.RawKernel(CODE, 'sum')\ndef f():\n    k((1,), (2,), 3)\n", "CuPy kernel", "k", ["f"]),
        ("import torch\ntorch.ops.load_library('ops.so')\n", "library of operators", "ops.so", []),
    ],
)  # fmt: skip
def test_kernels_are_found_as_they_are_written(text: str, kind: str, name: str, users: list[str]) -> None:
    kernels = outline("x.py", text).kernels
    assert [kernel.kind for kernel in kernels] == [kind]
    assert list(ways({"x.py": text}).values()) == [users]
    assert kernels[0].name == name


@pytest.mark.parametrize(
    "text",
    [
        "def load(name):\n    pass\nx = load('fused')\n",
        "from json import load\nx = load(open('a'))\n",
        "import torch\nx = torch.jit.script(f)\n",
        "import triton_like\n@triton_like.jit\ndef f():\n    pass\n",
        "def broken(:\n",
        "x = " + "(" * 5000,
        "\0",
    ],
)
def test_nothing_else_is_taken_for_a_kernel(text: str) -> None:
    assert outline("x.py", text).kernels == []


def test_names_that_hide_each_other_and_circles_end() -> None:
    text = {
        "op/__init__.py": "from .blur import blur\n",
        "op/blur.py": "import triton\nfrom model import Net\n@triton.jit\ndef kernel(x):\n    pass\n"
        "def blur(x):\n    return kernel[1](Net)\n",
        "model.py": "from op import blur\nclass Net:\n    def forward(self, x):\n        return blur(x)\n",
        "train.py": "from model import Net\nNet()\n",
    }
    assert ways(text) == {"kernel": ["blur < Net < train.py"]}


def test_a_folder_put_on_the_path_at_run_time_is_found_when_it_is_the_only_one() -> None:
    project = {f"lib/{file}": text for file, text in PROJECT.items() if file.startswith("det/")}
    project |= {"setup.py": SETUP, "tools/train.py": TRAIN.replace("from det import", "from det.heads import")}
    assert ways(project)["det._C"][-1].endswith("Head < main < tools/train.py")


def test_ways_to_files_that_train_come_first() -> None:
    project = {
        "k.py": "import triton\n@triton.jit\ndef kernel(x):\n    pass\ndef add(x):\n    return kernel[1](x)\n",
        "evaluate.py": "from k import add\nadd(1)\n",
        "train.py": "from k import add\ndef step():\n    add(1)\nstep()\n",
    }
    outlines = {file: outline(file, text) for file, text in project.items()}
    kernel = outlines["k.py"].kernels[0]
    ends = [way[-1].file for way in Callers(outlines).chains(kernel, {"train.py"})]
    assert ends == ["train.py", "evaluate.py"]


def migration(*notes: Note, changes: tuple[Change, ...] = ()) -> Migration:
    return Migration("a.py", "smtc", Status.MIGRATED, "a\nb\n", "a\nc\n", changes, notes)


def note(rule: str, severity: Severity = Severity.WARNING, line: int = 1) -> Note:
    return Note(rule, line, severity, f"{rule} said", "do it", "", "codemod")


def test_the_manual_list_begins_with_the_most_work_and_counts_every_kernel_once() -> None:
    analyst = Analyst("smtc", {"b.py": BUILT}.get)
    analyst.add("a.py", migration(note("TC208"), note("TC519", Severity.ERROR), note("TC601", Severity.INFO)))
    said = Migration("b.py", "smtc", Status.UNCHANGED, BUILT, BUILT, (), (note("TC911", Severity.ERROR, 2),))
    analyst.add("b.py", said)
    found = analyst.conclude()
    efforts = [(place.file, place.finding.line, place.finding.effort) for place in found.manual]
    assert efforts == [
        ("b.py", 2, Effort.REDESIGN),
        ("b.py", 3, Effort.REDESIGN),
        ("a.py", 1, Effort.CHANGE),
        ("a.py", 1, Effort.CHECK),
    ]
    assert [place.finding.line for place in found.unsaid] == [3]
    assert [work.worst for work in found.files] == [Effort.CHANGE, Effort.REDESIGN]
    assert found.files[1].efforts == {Effort.REDESIGN: 2}


def test_costs_are_those_of_the_rules_found() -> None:
    analyst = Analyst("smtc", {"b.py": BUILT}.get)
    analyst.add("a.py", migration(note("TC432"), note("TC914"), note("TC208"), note("TC125")))
    found = analyst.conclude().costs
    assert {cost: [place.finding.rule for place in places] for cost, places in found.items()} == {
        Cost.SYNC: ["TC432", "TC914"],
        Cost.SELDOM: [],
        Cost.COMPILATION: ["TC208"],
        Cost.COMPILATIONS: ["TC914"],
    }


def test_every_rule_with_a_cost_exists() -> None:
    assert set(COSTS) <= set(rules())


def call(*arguments: str) -> Result:
    return CliRunner().invoke(main, arguments, prog_name="tc-migrate", catch_exceptions=False)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, text in PROJECT.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    (tmp_path / "csrc").mkdir()
    (tmp_path / "csrc" / "nms_kernel.cu").write_text("__global__ void nms() {}\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_analysis_writes_nothing_and_exits_with_0(project: Path) -> None:
    before = {path: path.read_bytes() for path in project.rglob("*") if path.is_file()}
    result = call("--report-only", ".")
    assert result.exit_code == 0
    assert "redesign" in result.stdout
    assert "extension det._C (setup.py:7) from csrc/nms.cpp, csrc/nms_kernel.cu" in result.stdout
    assert "1 CUDA source files: csrc/nms_kernel.cu" in result.stdout
    assert {path: path.read_bytes() for path in project.rglob("*") if path.is_file()} == before


def test_the_analysis_as_json_is_as_its_schema_says(project: Path) -> None:
    report = json.loads(call("--report-only", "--format", "json", ".").stdout)
    loaded = json.loads((RENDER / "analysis.schema.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(loaded)
    jsonschema.validate(report, loaded)
    assert report["cuda_files"] == ["csrc/nms_kernel.cu"]
    assert [use["name"] for use in report["kernels"][0]["used_by"][-1]] == ["_Align", "align", "Head", "main", ""]
    assert sum(report["shares"].values()) == pytest.approx(1, abs=0.001)


def test_a_second_run_that_remembers_the_first_says_the_same(project: Path) -> None:
    (project / "det" / "heads.py").write_text(
        HEADS.replace("from torch import nn\n", "").replace("nn.Module", "object")
    )
    first = call("--report-only", ".").stdout
    assert "_Align (det/layers.py:7) <- align" in first
    assert call("--report-only", ".").stdout == first


def test_the_analysis_as_a_page_beside_the_text(project: Path) -> None:
    result = call("--report-only", ".", "--report", "plan.html")
    assert "by hand" in result.stdout
    page = (project / "plan.html").read_text(encoding="utf-8")
    assert page.startswith("<!doctype html>")
    assert "det._C" in page


@pytest.mark.parametrize("arguments", [["--write"], ["--check"], ["-i"], ["--format", "sarif"], ["--report", "a.xml"]])
def test_what_an_analysis_cannot_do_is_refused(project: Path, arguments: list[str]) -> None:
    result = call("--report-only", ".", *arguments)
    assert result.exit_code == 2
    assert result.stdout == ""


def test_safety_decides_the_effort_of_an_edit() -> None:
    changes = (Change("TC111", 1, Safety.EXACT, "m", "c"), Change("TC112", 2, Safety.REVIEW, "m", "c"))
    analyst = Analyst("smtc", {"b.py": BUILT}.get)
    analyst.add("a.py", migration(changes=changes))
    assert analyst.files["a.py"].efforts == {Effort.AUTOMATIC: 1, Effort.REVIEW: 1}


def test_the_coloured_analysis_has_the_characters_of_the_plain_one(project: Path) -> None:
    plain = call("--report-only", ".").stdout
    coloured = analysis_text(plain)
    assert coloured.plain == plain
    assert coloured.spans
