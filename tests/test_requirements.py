"""What a project installs: what is said about it, and where torch_xla is put."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from codemods.kit.targets import SMTC, XLA
from migrate.cli import main
from migrate.migration import Migration
from migrate.requirements import Kind, check

PIP, CONDA, PROJECT = Kind.PIP, Kind.CONDA, Kind.PROJECT


def said(text: str, kind: Kind = PIP, target: str = "xla") -> list[tuple[int, str]]:
    found = check(text, path="x", kind=kind, target=SMTC if target == "smtc" else XLA, add=False)
    return [(note.line, note.rule) for note in found.notes] if found else []


def added(text: str, kind: Kind = PIP) -> str:
    found = check(text, path="x", kind=kind, target=XLA, add=True)
    assert isinstance(found, Migration)
    assert found.result != text
    again = check(found.result, path="x", kind=kind, target=XLA, add=True)
    assert again is None or again.result == found.result
    return found.result


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("torch\nnumpy\n", [(1, "TC801")]),
        ("numpy\nPillow  # torch\n", []),
        ("torchvision\n", []),
        ("torch==2.9.0\ntorch_xla==2.9.0\n", []),
        ("torch>=1.8\ntorch-xla[tpu]==2.9.0\n", []),
        ("torch==1.10.0\n", [(1, "TC801"), (1, "TC803")]),
        ("torch==2.9.0+cu126\ntorch_xla\n", [(1, "TC804")]),
        ("--extra-index-url https://download.pytorch.org/whl/cu118\nnumpy\n", [(1, "TC804")]),
        ("-f https://download.pytorch.org/whl/torch_stable.html\nnumpy\n", []),
        ("git+https://github.com/NVIDIA/apex\nnvidia-ml-py3\n", [(1, "TC805")]),
        ("flash_attn==2.3\ncupy-cuda11x\nnvidia-dali-cuda110\nbitsandbytes\nhorovod[pytorch]\n",
         [(line, "TC805") for line in (1, 2, 3, 4, 5)]),
        ("git+https://github.com/mapillary/inplace_abn.git@v1.0.12\nspconv-cu118\ndgl\n",
         [(line, "TC805") for line in (1, 2, 3)]),
        ("triton==2.0 ; platform_system == 'Linux'\n", [(1, "TC805")]),
    ],
)  # fmt: skip
def test_what_is_said_of_a_pip_list(text: str, wanted: list[tuple[int, str]]) -> None:
    assert said(text) == wanted


def test_the_container_of_the_training_compiler_brings_torch() -> None:
    assert said("torch==1.10.0\nnumpy\n", target="smtc") == [(1, "TC806")]
    assert said("numpy\n", target="smtc") == []


def test_what_is_said_of_a_conda_environment() -> None:
    text = (
        "name: x\nchannels:\n  - pytorch\n  - nvidia\ndependencies:\n  - python=3.9\n"
        "  - pytorch=1.10.0=py3.9_cuda11.3_cudnn8.2.0_0\n  - cudatoolkit=11.3\n  - pytorch::torchvision\n"
    )
    assert said(text, CONDA) == [(7, "TC801"), (7, "TC803"), (7, "TC804"), (8, "TC805")]


def test_what_is_said_of_a_pyproject() -> None:
    text = (
        '[project]\nname = "torch"\ndependencies = [\n    "numpy",\n    "torch>=2.0",\n]\n\n'
        '[project.optional-dependencies]\nfast = ["flash-attn>=2"]\n\n[tool.ruff]\nselect = [\n    "apex",\n]\n'
    )
    assert said(text, PROJECT) == [(5, "TC801"), (9, "TC805")]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("numpy\ntorch==2.9.0\nPillow\n", "numpy\ntorch==2.9.0\ntorch_xla==2.9.0\nPillow\n"),
        ("torch  # the GPU build\r\nnumpy\r\n", "torch  # the GPU build\r\ntorch_xla==2.9.0\r\nnumpy\r\n"),
        ("numpy\ntorch", "numpy\ntorch\ntorch_xla==2.9.0\n"),
    ],
)
def test_torch_xla_is_put_below_torch(text: str, wanted: str) -> None:
    assert added(text) == wanted


def test_torch_xla_is_put_among_what_pip_installs() -> None:
    head = "dependencies:\n  - pytorch=2.9\n"
    assert added(head, CONDA) == head + "  - pip:\n    - torch_xla==2.9.0\n"
    assert added(head + "  - pip:\n      - timm\n", CONDA) == (
        head + "  - pip:\n      - torch_xla==2.9.0\n      - timm\n"
    )
    text = "dependencies:\n- python\n- pip:\n  - timm\n  - torch==2.9.0\n"
    assert added(text, CONDA) == text + "  - torch_xla==2.9.0\n"


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("sagemaker>=2.133,<3\n", []),
        ("sagemaker\nsagemaker-training==3.9\n", []),
        ("numpy\nsagemaker==2.100.0\n", [(2, "SM018")]),
        ("sagemaker>=2.140\n", [(1, "SM018")]),
        ("sagemaker~=3.0\n", [(1, "SM018")]),
    ],
)
def test_a_sagemaker_sdk_without_training_compiler(text: str, wanted: list[tuple[int, str]]) -> None:
    assert said(text, target="smtc") == wanted
    assert said(text) == []


def test_torch_xla_is_put_into_a_pyproject() -> None:
    text = '[project]\ndependencies = [\n    "numpy",\n    "torch>=2.0"\n]\n'
    assert added(text, PROJECT) == text.replace('2.0"\n', '2.0",\n    "torch_xla==2.9.0",\n')
    poetry = '[tool.poetry.dependencies]\npython = "^3.10"\ntorch = "^2.0"\n'
    assert added(poetry, PROJECT) == poetry + 'torch_xla = "2.9.0"\n'


def test_a_list_on_one_line_is_only_noted() -> None:
    found = check('[project]\ndependencies = ["torch"]\n', path="x", kind=PROJECT, target=XLA, add=True)
    assert found is not None
    assert not found.changes
    assert [note.rule for note in found.notes] == ["TC801"]


def test_rules_that_are_not_wanted_are_left_out() -> None:
    text = "torch\napex\n"
    found = check(text, path="x", kind=PIP, target=XLA, add=True, allows=lambda rule: rule.id not in ("TC802", "TC805"))
    assert found is not None
    assert (found.result, [note.rule for note in found.notes]) == (text, ["TC801"])


def test_a_line_can_be_left_alone() -> None:
    assert said("torch==2.9.0  # tc-migrate: ignore[TC801]\napex  # tc-migrate: ignore\n") == []


# --- on the command line --------------------------------------------------------------------------------------------

SCRIPT = "import torch\n\nmodel = torch.nn.Linear(2, 2).cuda()\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "train.py").write_text(SCRIPT, encoding="utf-8")
    (tmp_path / "requirements.txt").write_text("torch==2.9.0\n", encoding="utf-8")
    return tmp_path


def call(*arguments: str) -> Result:
    return CliRunner().invoke(main, [*arguments, "--target", "torch-xla==2.9"], catch_exceptions=False)


def test_the_lists_of_a_folder_are_checked_with_its_scripts(project: Path) -> None:
    result = call(str(project))
    assert f"{project / 'requirements.txt'}:1: warning TC801" in result.stderr
    assert "+torch_xla" not in result.stdout


def test_nothing_is_said_where_nothing_is_migrated(project: Path) -> None:
    (project / "train.py").write_text("import torch\n", encoding="utf-8")
    assert "TC801" not in call(str(project)).stderr
    assert "TC801" not in call(str(project / "train.py")).stderr


def test_torch_xla_is_added_on_request(project: Path) -> None:
    result = call(str(project), "--requirements")
    assert "+torch_xla==2.9.0" in result.stdout
    assert "TC801" not in result.stderr
    call(str(project), "--requirements", "--write")
    assert (project / "requirements.txt").read_text(encoding="utf-8") == "torch==2.9.0\ntorch_xla==2.9.0\n"


def test_the_notes_can_be_switched_off(project: Path) -> None:
    assert "TC801" not in call(str(project), "--ignore", "requirements").stderr
    assert "TC801" not in call(str(project), "--ignore", "TC8").stderr


@pytest.mark.parametrize(
    ("text", "kind", "line"),
    [
        ('[project.scripts]\nfit = "src_free.train:main"\nlook = "src_free.look:main"\n', Kind.PROJECT, 2),
        ('[tool.poetry.scripts]\nfit = {reference = "src_free.train:main", type = "console"}\n', Kind.PROJECT, 2),
        ("[options.entry_points]\nconsole_scripts =\n    look = src_free.look:main\n    fit = src_free.train:main\n",
         Kind.SETUP, 4),
    ],
)  # fmt: skip
def test_console_scripts_that_pass_by_main(text: str, kind: Kind, line: int) -> None:
    found = check(text, path="x", kind=kind, target=XLA, add=False, launched=["src_free.train"])
    assert found is not None
    assert [(note.line, note.rule) for note in found.notes] == [(line, "TC807")]
    assert said(text, kind) == []


def test_the_console_scripts_of_a_folder(tmp_path: Path) -> None:
    package = tmp_path / "src" / "fit"
    package.mkdir(parents=True)
    example = Path("golden/projects/console_scripts/vocoder/train.py").read_text()
    (package / "train.py").write_text(example)
    (tmp_path / "setup.cfg").write_text("[options.entry_points]\nconsole_scripts =\n    fit = fit.train:main\n")
    shown = CliRunner().invoke(main, ["--no-cache", "--target", "torch-xla==2.9", str(tmp_path)])
    assert "setup.cfg:3: error TC807" in shown.output
    assert "TC807" not in CliRunner().invoke(main, ["--no-cache", "--target", "smtc", str(tmp_path)]).output


@pytest.mark.parametrize(
    ("text", "over"),
    [
        ("torch==1.12.1\n", [1]),
        ("torch==1.13\n", [1]),
        ("torch==1.13.1\ntorch>=1.10\ntorch~=1.13.0\ntorch==1.13.*\ntorch\n", []),
        ("torch<1.13\ntorch>=2.0\ntorch~=1.12.0\ntorch!=1.13.1\n", [1, 2, 3, 4]),
        ("torchvision==0.13.1\ntorchaudio==0.13.1\n", [1]),
        ("torchvision==0.14.1\ntransformers==4.21.1\n", []),
    ],
)
def test_a_torch_that_a_job_installs_over_the_containers(text: str, over: list[int]) -> None:
    found = check(text, path="x", kind=PIP, target=SMTC, add=False, installed=True)
    assert [note.line for note in found.notes if note.rule == "TC808"] == over if found else not over
    assert "TC808" not in dict(said(text, target="smtc")).values()


def test_the_list_in_the_source_dir_of_a_job(tmp_path: Path) -> None:
    """It is read where a folder above is given, and goes on failing once the scripts are written."""
    ignore = shutil.ignore_patterns("*.smtc.py", "*.xla.py")
    shutil.copytree("golden/projects/first_job", tmp_path / "job", ignore=ignore)
    (tmp_path / "job/src/requirements.txt").write_text("torch==1.12.1\n")
    arguments = ["--no-cache", "--target", "smtc", "--ignore", "SM014", str(tmp_path)]
    line = f"{Path('src') / 'requirements.txt'}:1: error TC808"
    for more in ([], ["--write"], ["--check"], ["--check"]):
        done = CliRunner().invoke(main, [*more, *arguments])
        assert line in done.output
        assert done.exit_code == 1
    (tmp_path / "job/src/requirements.txt").write_text("tqdm\n")
    assert CliRunner().invoke(main, ["--check", *arguments]).exit_code == 0
