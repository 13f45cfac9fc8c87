"""The command: what it prints where, what it writes, what it exits with."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from codemods.kit.rules import Change, Note, Safety, Severity
from codemods.kit.targets import Target
from migrate.batch import scan
from migrate.cache import Cache
from migrate.cli import main
from migrate.migration import Migration, Status
from migrate.pipeline import Prepared
from migrate.prefilter import Look
from migrate.registry import ALL, Selection
from tests.training_script import TRAIN

ROOT = Path(__file__).parent.parent


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, empty."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def call(*arguments: str, input: str | bytes | None = None) -> Result:
    return CliRunner().invoke(main, arguments, input=input, prog_name="tc-migrate", catch_exceptions=False)


def note(line: int, severity: Severity) -> Note:
    return Note("TC412", line, severity, "waits for the device each step", "log every 100 steps", "", "logging")


Fake = Callable[..., Migration]


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Put a pipeline of known behaviour behind the command: `old` becomes `new`, with these changes and notes."""

    def install(*notes: Note, status: Status = Status.MIGRATED, reason: str = "", traceback: str = "") -> None:
        def migrate(
            prepared: Prepared, *, path: str, target: Target, select: Selection = ALL, **more: object
        ) -> Migration:
            source = prepared.original
            result = source.replace("old", "new").replace("import a\n", "import a\nimport b\n")
            changes = [
                Change("TC101", number, Safety.REVIEW, "renames it", "device")
                for number, line in enumerate(source.splitlines(), 1)
                if "old" in line
            ]
            made = Migration(path, target.name, status, source, result, tuple(changes), notes, reason, traceback)
            if status in (Status.SKIPPED, Status.FAILED, Status.REFUSED):
                return replace(made, result=source, changes=())
            return made if result != source else replace(made, status=Status.UNCHANGED)

        monkeypatch.setattr(Prepared, "migrate", migrate)
        monkeypatch.setattr(scan, "look", lambda path, data: Look.ASKS)
        # What it makes of a file is not what the cache may know of it.
        monkeypatch.setattr(Cache, "get", lambda cache, keys: {})
        monkeypatch.setattr(Cache, "put", lambda cache, key, value: None)

    return install


@pytest.mark.parametrize("arguments", [["--help"], ["--version"]])
def test_help_and_version_load_no_parser_and_answer_at_once(arguments: list[str]) -> None:
    code = (
        "import sys, time\n"
        "from migrate.cli import main\n"
        "try:\n"
        f"    main({arguments!r}, prog_name='tc-migrate')\n"
        "except SystemExit as stop:\n"
        "    assert not stop.code\n"
        "heavy = {'libcst', 'rich', 'git', 'torch'} & set(sys.modules)\n"
        "print(f'{heavy=} cpu={time.process_time()}', file=sys.stderr)\n"
    )
    parser = "import sys, time, libcst\nprint(f'cpu={time.process_time()}', file=sys.stderr)\n"
    said = {
        each: [
            subprocess.run([sys.executable, "-c", each], cwd=ROOT, capture_output=True, text=True, timeout=60).stderr
            for _ in range(3)
        ]
        for each in (code, parser)
    }
    assert all("heavy=set()" in text for text in said[code]), said[code]
    # The least of three: the machine may be busy with other things, and CPU time suffers from that too.
    least = {each: min(float(text.rpartition("cpu=")[2]) for text in texts) for each, texts in said.items()}
    assert least[code] < 0.7 * least[parser]


def test_the_version_is_the_distributions() -> None:
    declared = re.search(r'^version = "(.+)"', (ROOT / "pyproject.toml").read_text(), re.MULTILINE)
    assert declared
    assert call("--version").output == f"tc-migrate {declared[1]}\n"


def test_help_names_every_option_and_both_usages() -> None:
    result = call("--help")
    assert result.exit_code == 0
    for word in ("[OPTIONS] [PATHS]...", "COMMAND", "--write", "--check", "--interactive", "--target", "--select",
                 "--ignore", "--safety", "--format", "--annotate", "--debug", "rules", "explain", "facts",
                 "standard error", "git apply"):  # fmt: skip
        assert word in result.output
    assert call().output == result.output
    assert all(len(line) <= 80 for line in result.output.splitlines())


def test_shows_a_diff_and_writes_nothing(folder: Path) -> None:
    (folder / "train.py").write_text(TRAIN)
    result = call("train.py")
    assert result.exit_code == 0
    assert result.stdout.startswith("--- a/train.py\n+++ b/train.py\n@@ ")
    assert "+        xm.optimizer_step(optimizer" in result.stdout
    assert "1 file migrated; " in result.stderr
    assert (folder / "train.py").read_text() == TRAIN


def test_options_may_follow_the_paths(folder: Path) -> None:
    (folder / "train.py").write_text(TRAIN)
    result = call("train.py", "--target", "torch-xla==2.9", "--check")
    assert (result.exit_code, result.stdout) == (1, "train.py\n")


def test_the_piped_diff_applies_and_equals_what_write_writes(folder: Path, fake: Callable[..., None]) -> None:
    """Two files, one in latin-1 with CR LF, one with a BOM and no newline at its end."""
    fake()
    (folder / "a b").mkdir()
    texts = {
        "a b/latin.py": ("# coding: latin-1\n# é\n" + "x\n" * 9 + "old\n").replace("\n", "\r\n").encode("latin-1"),
        "bom.py": b"\xef\xbb\xbfold = 1\nx = 2",
    }
    for name, data in texts.items():
        (folder / name).write_bytes(data)
    patch = call(".").stdout_bytes
    subprocess.run(["git", "apply", "-"], input=patch, cwd=folder, check=True, timeout=30)
    patched = {name: data.replace(b"old", b"new") for name, data in texts.items()}
    assert {name: (folder / name).read_bytes() for name in texts} == patched
    for name, data in texts.items():
        (folder / name).write_bytes(data)
    result = call("--write", ".")
    assert result.stdout.split("\n")[:-1] == list(texts)
    assert {name: (folder / name).read_bytes() for name in texts} == patched
    again = call("--write", ".")
    assert again.stdout == ""
    assert "2 files unchanged" in again.stderr


def test_a_file_elsewhere_is_named_from_the_root(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("elsewhere") / "train.py"
    path.write_text(TRAIN)
    assert call(str(path)).stdout.startswith(f"--- a{path}\n+++ b{path}\n")


def test_standard_input_to_a_diff_or_to_the_script(folder: Path) -> None:
    assert call("-", input=TRAIN).stdout.startswith("--- a/stdin\n")
    result = call("--write", "-", input=TRAIN.replace("\n", "\r\n").encode())
    assert b"xm.optimizer_step(optimizer" in result.stdout_bytes
    assert result.stdout_bytes.count(b"\r\n") == result.stdout_bytes.count(b"\n")
    assert call("--write", "-", input="x = 1\n").stdout == "x = 1\n"
    assert os.listdir(folder) == []


def test_check_lists_and_exits_with_1(folder: Path) -> None:
    (folder / "train.py").write_text(TRAIN)
    (folder / "other.py").write_text("x = 1\n")
    result = call("--check", "train.py", "other.py")
    assert (result.exit_code, result.stdout) == (1, "train.py\n")
    assert "1 file would be migrated, 1 unchanged" in result.stderr
    assert call("--check", "other.py").exit_code == 0


def test_a_file_named_as_a_command_is_given_with_its_folder(folder: Path) -> None:
    (folder / "rules").write_text(TRAIN)
    assert "--- a/rules" in call("./rules").stdout
    assert "--- a/rules" in call("--target", "smtc", "rules").stdout


def test_trouble_with_one_file_is_one_line_and_the_others_go_on(folder: Path) -> None:
    (folder / "train.py").write_text(TRAIN)
    (folder / "broken.py").write_text("def (:\n")
    (folder / "latin.py").write_bytes(b"x = '\xe9'\n")
    result = call("--select", "optimizer_step", "missing.py", "broken.py", "latin.py", "train.py")
    assert result.exit_code == 2
    assert "+++ b/train.py" in result.stdout
    lines = result.stderr.splitlines()
    assert lines[0] == "missing.py: no such file or directory"
    assert lines[1].startswith("broken.py: does not parse: ")
    assert lines[2] == "latin.py: not utf-8 text: byte 0xe9 on line 1"
    assert re.fullmatch(r"1 file migrated, 3 skipped; .*", lines[-1])
    assert len(lines) == 4


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        pytest.param(["--target", "smtk"], "'smtc'", id="target"),
        pytest.param(["--select", "optimiser_step"], "'optimizer_step'", id="codemod"),
        pytest.param(["--ignore", "TC4,TC4011"], "the nearest is 'TC4", id="rule"),
    ],
)
def test_an_unknown_name_is_one_line_with_the_nearest(folder: Path, arguments: list[str], message: str) -> None:
    (folder / "train.py").write_text(TRAIN)
    result = call(*arguments, "train.py")
    assert result.exit_code == 2
    assert result.stdout == ""
    assert message in result.stderr
    assert len(result.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param(["--write", "--check", "x.py"], id="write and check"),
        pytest.param(["--write", "-i", "x.py"], id="write and interactive"),
        pytest.param(["-i", "-"], id="interactive from a pipe"),
        pytest.param(["-i", "--format", "json", "x.py"], id="interactive json"),
        pytest.param(["--check"], id="no path"),
        pytest.param(["--safety", "note", "x.py"], id="no such safety"),
    ],
)
def test_contradictions_are_refused(folder: Path, arguments: list[str]) -> None:
    (folder / "x.py").write_text(TRAIN)
    assert call(*arguments).exit_code == 2
    assert (folder / "x.py").read_text() == TRAIN


def test_select_and_ignore_take_names_and_prefixes(folder: Path) -> None:
    (folder / "train.py").write_text(TRAIN)
    assert "optimizer_step(" in call("--select", "optimizer_step", "train.py").stdout
    assert "optimizer_step(" in call("--select", "TC1,TC4", "train.py").stdout
    assert "optimizer_step(" in call("--select", "TC1", "--select", "TC4", "train.py").stdout
    assert "optimizer_step(" not in call("--ignore", "TC4", "train.py").stdout


def test_the_configuration_counts_and_the_command_line_wins(folder: Path) -> None:
    (folder / "pyproject.toml").write_text(
        '[tool.tc-migrate]\ntarget = "torch-xla==2.9"\nselect = ["TC401"]\nexclude = ["old"]\n\n'
        '[tool.tc-migrate.per-file-ignores]\n"kept.py" = ["optimizer_step"]\n'
    )
    (folder / "old").mkdir()
    for name in ("train.py", "kept.py", "old/train.py"):
        (folder / name).write_text(TRAIN)
    report = json.loads(call("--format", "json", ".").stdout)
    assert report["target"] == "torch-xla==2.9"
    assert [(file["path"], file["status"]) for file in report["files"]] == [
        ("kept.py", "unchanged"),
        ("train.py", "migrated"),
    ]
    assert {change["rule"] for change in report["files"][1]["changes"]} == {"TC401"}
    won = json.loads(call("--format", "json", "--target", "smtc", "--ignore", "TC4", "train.py").stdout)
    assert won["target"] == "smtc"
    assert won["files"][0]["status"] == "unchanged"


@pytest.mark.parametrize(
    ("table", "message"),
    [
        pytest.param("targett = 'smtc'", "the nearest is 'target'", id="key"),
        pytest.param("target = 'smtk'", "the nearest is 'smtc'", id="target"),
        pytest.param("ignore = ['optimiser_step']", "the nearest is 'optimizer_step'", id="ignore"),
        pytest.param("per-file-ignores = {'x.py' = ['TC4011']}", "the nearest is 'TC4", id="per file"),
    ],
)
def test_a_wrong_configuration_is_one_line_with_the_nearest(folder: Path, table: str, message: str) -> None:
    (folder / "train.py").write_text(TRAIN)
    (folder / "pyproject.toml").write_text(f"[tool.tc-migrate]\n{table}\n")
    result = call("train.py")
    assert (result.exit_code, result.stdout) == (2, "")
    assert message in result.stderr
    assert len(result.stderr.splitlines()) == 1


def test_notes_follow_on_standard_error_and_an_error_exits_with_1(folder: Path, fake: Callable[..., None]) -> None:
    (folder / "x.py").write_text("a\nold\nb\n")
    fake(note(3, Severity.ERROR), note(1, Severity.INFO))
    result = call("x.py")
    assert result.exit_code == 1
    assert "TC412" not in result.stdout
    assert result.stderr.splitlines() == [
        "x.py:1: info TC412: waits for the device each step",
        "    log every 100 steps",
        "x.py:2: review TC101: renames it",
        "x.py:3: error TC412: waits for the device each step",
        "    log every 100 steps",
        "1 file migrated; 1 edit (1 to review), 2 notes (1 error)",
    ]
    fake(note(3, Severity.WARNING))
    assert call("x.py").exit_code == 0


def test_a_failed_codemod_leaves_the_file_and_shows_its_traceback_on_request(
    folder: Path, fake: Callable[..., None]
) -> None:
    (folder / "x.py").write_text("old\n")
    fake(status=Status.FAILED, reason="codemod device: KeyError: 'x'", traceback="Traceback: here\n")
    result = call("--write", "x.py")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.splitlines() == ["x.py: codemod device: KeyError: 'x'", "1 file failed"]
    assert "Traceback: here" in call("--debug", "x.py").stderr
    assert (folder / "x.py").read_text() == "old\n"


def test_a_refused_file_says_why(folder: Path, fake: Callable[..., None]) -> None:
    (folder / "x.py").write_text("old\n")
    fake(note(1, Severity.ERROR), status=Status.REFUSED, reason="builds on DeepSpeed")
    result = call("x.py")
    assert (result.exit_code, result.stdout) == (1, "")
    assert "x.py: refused: builds on DeepSpeed" in result.stderr
    assert "x.py:1: error TC412" in result.stderr


def test_json_is_one_object_in_a_fixed_order(folder: Path, fake: Callable[..., None]) -> None:
    (folder / "x.py").write_text("a\nold\n")
    fake(note(2, Severity.ERROR))
    result = call("--format", "json", "gone.py", "x.py")
    assert result.exit_code == 2
    report = json.loads(result.stdout)
    assert list(report) == ["tool", "version", "target", "files", "certificates", "counts"]
    assert [(file["path"], file["status"]) for file in report["files"]] == [
        ("gone.py", "skipped"),
        ("x.py", "migrated"),
    ]
    assert report["files"][0]["reason"] == "no such file or directory"
    migrated = report["files"][1]
    assert list(migrated) == ["path", "status", "reason", "diff", "changes", "notes"]
    assert migrated["diff"].endswith("@@ -1,2 +1,2 @@\n a\n-old\n+new\n")
    assert migrated["changes"] == [
        {
            "rule": "TC101",
            "aliases": ["TS017"],
            "line": 2,
            "safety": "review",
            "message": "renames it",
            "codemod": "device",
            "evidence": [],
        }
    ]
    assert migrated["notes"][0]["severity"] == "error"
    assert report["counts"]["edits"] == report["counts"]["errors"] == 1
    assert call("--format", "json", "gone.py", "x.py").stdout == result.stdout


def test_annotations_are_shown_and_written_once(folder: Path, fake: Callable[..., None]) -> None:
    (folder / "x.py").write_text("if a:\n    old\n")
    fake(note(2, Severity.WARNING))
    todo = "    # TODO(tc-migrate TC412): waits for the device each step\n"
    assert f"+{todo}+    new\n" in call("--annotate", "x.py").stdout
    call("--annotate", "--write", "x.py")
    assert (folder / "x.py").read_text() == f"if a:\n{todo}    new\n"
    fake(note(3, Severity.WARNING))
    assert call("--annotate", "--check", "x.py").exit_code == 0


def test_a_write_that_is_refused_is_said(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    outside = tmp_path_factory.mktemp("outside") / "train.py"
    outside.write_text(TRAIN)
    (folder / "link.py").symlink_to(outside)
    result = call("--write", "link.py")
    assert result.exit_code == 2
    assert "link.py: not written: a link to" in result.stderr
    assert outside.read_text() == TRAIN


def test_a_link_below_a_folder_that_leads_out_is_not_read(
    folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """A repository may name any file of the machine by one, and what it holds stood in the report."""
    outside = tmp_path_factory.mktemp("outside")
    (outside / "key.py").write_text(TRAIN.replace("import torch\n", "import torch as SECRET, torch\n"))
    (folder / "inside.py").write_text(TRAIN)
    (folder / "link.py").symlink_to(outside / "key.py")
    (folder / "fine.py").symlink_to("inside.py")
    result = call(".")
    assert result.exit_code == 2
    assert "SECRET" not in result.stdout
    assert "fine.py" in result.stdout
    assert "link.py: a link that leads out of the project" in result.stderr
    assert "SECRET" in call("link.py").stdout, "who names it has asked for it"


def test_what_a_script_imports_by_a_link_is_not_read_from_elsewhere(
    folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    outside = tmp_path_factory.mktemp("outside") / "key.py"
    outside.write_text("from torch.nn import Linear as make\n")
    script = "import torch\nfrom key import make\n\nmodel = make(1, 1)\nmodel.cuda()\n"
    (folder / "train.py").write_text(script)
    (folder / ".git").mkdir()
    (folder / "key.py").symlink_to(outside)
    there = call("train.py").stdout
    (folder / "key.py").unlink()
    assert there == call("train.py").stdout


HUNKS = "import a\n" + "x\n" * 9 + "b.old\n" + "x\n" * 9 + "old()\n" + "x\n" * 9 + "old\n"


@pytest.mark.parametrize(
    ("keys", "taken"),
    [
        pytest.param("n\nn\nn\nn\n", set(), id="none"),
        pytest.param("y\nn\ny\nn\n", {"import b", "new()"}, id="some"),
        pytest.param("y\ny\nd\n", {"import b", "b.new"}, id="leave the rest"),
        pytest.param("n\nn\na\n", {"new()", "new"}, id="take the rest"),
        pytest.param("?\nmaybe\ny\ny\nq\n", {"import b", "b.new"}, id="help, then stop"),
    ],
)
def test_interactive_writes_the_hunks_that_are_taken(
    folder: Path, fake: Callable[..., None], keys: str, taken: set[str]
) -> None:
    (folder / "x.py").write_text(HUNKS)
    (folder / "y.py").write_text("old\n")
    fake()
    # `y.py` comes after `x.py` and is left, unless the person has stopped before.
    result = call("-i", "x.py", "y.py", input=keys + ("" if "q" in keys else "n\n"))
    written = (folder / "x.py").read_text()
    assert set(written.splitlines()) - set(HUNKS.splitlines()) == taken
    assert (folder / "y.py").read_text() == "old\n"
    assert "take hunk 1 of 4?" in result.output
    assert ("y.py" in result.output) is ("q" not in keys)
    assert ("take it and all that follow" in result.output) is ("?" in keys)
    assert "TC101 review: renames it" in result.output
    assert result.exit_code == 0
    made = len([name for name in taken if name != "import b"])
    assert (f"{made} edit" in result.output) is bool(made)


def test_interactive_writes_nothing_that_does_not_stand(folder: Path, fake: Callable[..., None]) -> None:
    source = "import a\n" + "x\n" * 9 + "old\n"
    (folder / "x.py").write_text(source)

    def migrate(prepared: Prepared, *, path: str, target: Target, **more: object) -> Migration:
        source = prepared.original
        result = source.replace("import a", "import a\nimport b").replace("old", "b.new")
        return Migration(path, target.name, Status.MIGRATED, source, result)

    fake()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Prepared, "migrate", migrate)
        result = call("-i", "x.py", input="n\ny\n")
    assert result.exit_code == 2
    assert "x.py: not written: the hunks taken use what the others define: b" in result.output
    assert (folder / "x.py").read_text() == source


def test_interactive_at_the_end_of_input_writes_nothing(folder: Path, fake: Callable[..., None]) -> None:
    (folder / "x.py").write_text(HUNKS)
    fake()
    assert call("-i", "x.py", input="y\n").exit_code == 130
    assert (folder / "x.py").read_text() == HUNKS


def test_rules_lists_every_rule() -> None:
    from migrate.registry import rules

    lines = call("rules").stdout.splitlines()
    assert [line.split()[0] for line in lines[1:]] == sorted(rules())
    listed = json.loads(call("rules", "--format", "json").stdout)
    assert [rule["id"] for rule in listed] == sorted(rules())
    assert all(rule["summary"] and rule["safety"] for rule in listed)


def test_explain_takes_a_rule_or_a_codemod_and_names_the_nearest() -> None:
    text = call("explain", "tc401").stdout
    assert text.startswith("TC401  ")
    assert "codemod optimizer_step" in text
    assert re.search(r"^  \+ *xm\.optimizer_step\(optimizer", text, re.MULTILINE)
    assert call("explain", "optimizer-step").stdout in text
    wrong = call("explain", "optimiser")
    assert (wrong.exit_code, wrong.stdout) == (2, "")
    assert wrong.stderr == "Error: no rule or codemod is called 'optimiser'; the nearest is 'optimizer_step'\n"


def test_a_terminal_gets_colour_and_everything_on_one_stream(folder: Path) -> None:
    (folder / "train.py").write_text(TRAIN)
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "TERM": "xterm-256color", "COLUMNS": "100"}
    environment.pop("NO_COLOR", None)
    leader, follower = pty.openpty()
    command = [sys.executable, "-m", "migrate.cli", "train.py"]
    process = subprocess.Popen(command, stdout=follower, stderr=follower, env=environment)
    os.close(follower)
    output = b""
    while True:
        try:
            data = os.read(leader, 65536)
        except OSError:  # Linux: the other side is closed
            break
        if not data:
            break
        output += data
    os.close(leader)
    assert process.wait(60) == 0
    text = output.decode()
    assert "\x1b[32m+" in text
    assert "1 file migrated; " in text
    assert "--write" in text
