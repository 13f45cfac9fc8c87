"""The mirror of a script's folder: what the user has is read, and nothing of it is changed."""

from __future__ import annotations

import os
import sys
import tempfile
import time
from pathlib import Path

import pytest

from migrate.migration import MigrateError
from migrate.smoke import workspace
from migrate.smoke.environments import Environment
from migrate.smoke.record import Run, Side
from migrate.smoke.run import Job, run
from migrate.smoke.workspace import COPIED_FILE, make_workspace

LARGE = COPIED_FILE + 1


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project as it is on disk, with data beside it."""
    root = tmp_path / "project"
    (root / "models").mkdir(parents=True)
    (root / "train.py").write_text("print('here')")
    (root / "models" / "net.py").write_text("WIDTH = 8\n")
    (root / "weights.bin").write_bytes(b"w" * LARGE)
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "train.txt").write_text("1 2 3")
    return root


def mirror(project: Path, tmp_path: Path) -> Path:
    return make_workspace(tmp_path / "run", project / "train.py", None, {}).mirror


def run_script(project: Path, text: str, **job: object) -> Run:
    (project / "train.py").write_text(text)
    script = project / str(job.pop("script", "train.py"))
    return run(Job(script, Side.CUDA, Environment("", Path(sys.executable)), **job))  # type: ignore[arg-type]


def test_small_files_are_copied_and_large_ones_linked(project: Path, tmp_path: Path) -> None:
    made = mirror(project, tmp_path)
    assert (made / "models" / "net.py").read_text() == "WIDTH = 8\n"
    assert not (made / "models" / "net.py").is_symlink()
    assert os.readlink(made / "weights.bin") == str(project / "weights.bin")


def test_what_no_training_reads_is_left_out(project: Path, tmp_path: Path) -> None:
    for name in (".git", ".venv", "__pycache__", "node_modules"):
        (project / name).mkdir()
        (project / name / "large").write_bytes(b"x")
    made = mirror(project, tmp_path)
    assert sorted(path.name for path in made.iterdir()) == ["models", "train.py", "weights.bin"]


def test_copies_end_at_a_total(project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workspace, "COPIED_ALL", 25)
    for name in "abc":
        (project / "models" / name).write_bytes(b"x" * 10)
    made = mirror(project, tmp_path) / "models"
    assert sum(path.stat().st_size for path in made.iterdir() if not path.is_symlink()) <= 25
    assert all((made / name).read_bytes() == b"x" * 10 for name in "abc")


def test_a_folder_of_data_is_linked_as_a_whole(project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workspace, "ENTRIES_IN_FOLDER", 20)
    (project / "images").mkdir()
    for number in range(21):
        (project / "images" / str(number)).touch()
    made = mirror(project, tmp_path)
    assert os.readlink(made / "images") == str(project / "images")
    assert not (made / "models").is_symlink()


def test_links_are_kept(project: Path, tmp_path: Path) -> None:
    (project / "net").symlink_to("models/net.py")
    (project / "data").symlink_to("../data")
    (project / "broken").symlink_to("nowhere")
    made = mirror(project, tmp_path)
    assert os.path.realpath(made / "net") == os.path.realpath(made / "models" / "net.py")
    assert (made / "data" / "train.txt").read_text() == "1 2 3"
    assert (made / "broken").is_symlink()


def test_ten_thousand_files_take_a_second_or_so(project: Path, tmp_path: Path) -> None:
    for folder in range(20):
        (project / f"class{folder}").mkdir()
        for number in range(500):
            (project / f"class{folder}" / f"{number}.txt").touch()
    began = time.process_time()  # others may be at work here, too
    made = mirror(project, tmp_path)
    assert time.process_time() - began < 5
    assert len(list((made / "class19").iterdir())) == 500


def test_a_replaced_file_has_its_text_in_the_mirror_only(project: Path, tmp_path: Path) -> None:
    space = make_workspace(tmp_path / "run", project / "train.py", None, {Path("train.py"): "print('migrated')"})
    assert space.script.read_text() == "print('migrated')"
    assert (project / "train.py").read_text() == "print('here')"
    with pytest.raises(MigrateError, match="is not in the folder"):
        make_workspace(tmp_path / "other", project / "train.py", None, {Path("../x.py"): ""})


def test_a_script_has_to_be_in_its_root(project: Path, tmp_path: Path) -> None:
    with pytest.raises(MigrateError, match=r"is not in .*/data, the folder it is to run in"):
        make_workspace(tmp_path / "run", project / "train.py", tmp_path / "data", {})


def test_the_runs_own_folder_is_not_mirrored(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(project))
    ran = run_script(project, "import os\nprint(sorted(os.listdir('.')))")
    assert ran.output == "['models', 'train.py', 'weights.bin']\n"


def test_reads_as_the_user_would(project: Path) -> None:
    text = """\
import os
from models.net import WIDTH
print(WIDTH, open("models/net.py").read(), open("../data/train.txt").read(), len(open("weights.bin").read()))
print(os.getcwd(), __file__)
"""
    ran = run_script(project, text)
    assert ran.output == f"8 WIDTH = 8\n 1 2 3 {LARGE}\n{project} {project / 'train.py'}\n"


def test_runs_in_the_root_that_is_named(project: Path) -> None:
    (project / "models" / "run.py").write_text(
        "import os, sys\nprint(os.getcwd(), sys.path[0], sorted(os.listdir('models')))"
    )
    ran = run_script(project, "", script="models/run.py", root=project)
    assert ran.output == f"{project} {project}/models ['net.py', 'run.py']\n"


@pytest.mark.parametrize(("mode", "after"), [("wb", 1), ("ab", LARGE + 1), ("r+b", LARGE)])
def test_a_large_file_is_written_over_in_the_mirror_only(mode: str, after: int, project: Path) -> None:
    before = (project / "weights.bin").stat()
    ran = run_script(
        project, f"import os\nopen('weights.bin', {mode!r}).write(b'x')\nprint(os.path.getsize('weights.bin'))"
    )
    assert ran.output == f"{after}\n"
    left = (project / "weights.bin").stat()
    assert (left.st_size, left.st_mtime_ns) == (before.st_size, before.st_mtime_ns)


@pytest.mark.parametrize("changes", ["os.remove('weights.bin')", "os.replace('models/net.py', 'weights.bin')"])
def test_entries_are_removed_in_the_mirror_only(changes: str, project: Path) -> None:
    ran = run_script(project, f"import os\n{changes}\nprint('done')")
    assert ran.output == "done\n"
    assert (project / "weights.bin").stat().st_size == LARGE
    assert (project / "models" / "net.py").exists()
