"""What the bot finds out about a commit, and what a parser that a stranger has taken over could do there."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from migrate import migrate
from migrate.bot.confined import start_confined
from migrate.bot.git.remote import Remote
from migrate.bot.git.store import Store
from migrate.bot.origin import Origin
from migrate.bot.settings import PATH, Settings, parse_settings
from migrate.bot.survey import Survey, survey
from migrate.migration import Status
from tests.bot.repositories import commit_files, make_bare

SCRIPT = b"""\
import torch
import torch.nn as nn

model = nn.Linear(2, 2).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(3):
    loss = model(torch.ones(1, 2).cuda()).sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""
PARTS = {
    "train.py": b"import torch\nfrom steps import advance\n\nmodel = torch.nn.Linear(2, 2).cuda()\n"
    b"optimizer = torch.optim.SGD(model.parameters(), lr=0.1)\n"
    b"for _ in range(3):\n    optimizer.zero_grad()\n    advance(optimizer, model(torch.ones(1, 2).cuda()).sum())\n",
    "steps.py": b"def advance(rule, loss):\n    loss.backward()\n    rule.step()\n",
}


def look(folder: Path, files: dict[str, bytes], settings: Settings | None = None) -> Survey:
    origin = make_bare(folder / "origin")
    commit_files(origin, files)
    store = Store(folder / "store")
    return survey(store, store.fetch(Remote(str(origin)), "main"), settings or Settings())


def test_a_file_comes_out_as_it_would_by_itself(tmp_path: Path) -> None:
    found = look(tmp_path, {"a/train.py": SCRIPT, "README.md": b"# Train\n"})
    assert {path: each.result for path, each in found.migrations.items()} == {
        "a/train.py": migrate(SCRIPT.decode(), target="smtc").result
    }


def test_files_that_import_each_other_are_read_as_one_project(tmp_path: Path) -> None:
    found = look(tmp_path, PARTS)
    assert "xm.optimizer_step(rule" in found.migrations["steps.py"].result
    alone = look(tmp_path / "alone", {"steps.py": PARTS["steps.py"]})
    assert "xm." not in alone.migrations["steps.py"].result


def test_settings_decide_about_files_and_rules(tmp_path: Path) -> None:
    settings = parse_settings(b"target: torch-xla==2.9\nexclude: [old]\nper-file-ignores: {b.py: [TC101, TC1]}\n")
    found = look(tmp_path, {"a.py": SCRIPT, "b.py": SCRIPT, "old/c.py": SCRIPT}, settings)
    assert list(found.migrations) == ["a.py", "b.py"]
    assert "torch_xla.device()" in found.migrations["a.py"].result
    assert ".cuda()" in found.migrations["b.py"].result


def test_the_plan_tells_what_was_not_read(tmp_path: Path) -> None:
    found = look(tmp_path, {"a.py": SCRIPT, "b.py": b"import torch\n\xff\xfe.cuda()", PATH: b"mode: pr\n"})
    plan = found.plan(Origin("owner/name", found.contents.commit))
    assert "`b.py` not read" in plan.body
    assert plan.marker.base == found.contents.commit


@pytest.mark.parametrize(
    "expression",
    [
        "[" * 5_000 + "]" * 5_000,
        "-" * 50_000 + "1",
        "x" + ".x" * 20_000,
        "+".join("1" * 50_000),
        "f(" * 190 + ")" * 190,
    ],
    ids=["brackets", "minuses", "attributes", "sum", "calls"],
)
def test_source_that_ends_a_parser_costs_its_own_file_only(tmp_path: Path, expression: str) -> None:
    hostile = b"import torch\ntorch.ones(1).cuda()\nx = " + expression.encode()
    found = look(tmp_path, {"a.py": SCRIPT, "b.py": hostile, "c.py": SCRIPT})
    assert [found.migrations[name].status for name in ("a.py", "c.py")] == [Status.MIGRATED] * 2
    assert found.migrations["b.py"].status is not Status.MIGRATED or expression in found.migrations["b.py"].result


def _variables() -> dict[str, str]:
    return dict(os.environ)


def _write(path: str) -> None:
    Path(path).write_text("written")


def _connect(port: int) -> None:
    socket.create_connection(("127.0.0.1", port), timeout=10).close()


def _remembers(name: str) -> bool:
    return name in globals()


@pytest.fixture
def secret(monkeypatch: pytest.MonkeyPatch) -> str:
    """What the bot knows while it works: in a variable of its environment and one of its memory."""
    monkeypatch.setenv("GITHUB_TOKEN", "ghs_s3cret")
    monkeypatch.setitem(globals(), "_TOKEN", "ghs_s3cret")
    return "_TOKEN"


def test_a_worker_knows_nothing_of_the_bot(secret: str) -> None:
    assert _remembers(secret)
    with start_confined(1) as workers:
        variables = workers.submit(_variables).result()
        kept = {"LANG", "LC_ALL", "LC_CTYPE", "PATH", "TMPDIR", "TZ", "PYTHONSAFEPATH"}
        assert variables.keys() <= kept | {"COLUMNS", "LINES"}  # which readline sets by itself
        assert not workers.submit(_remembers, secret).result()


def test_a_worker_writes_no_file(tmp_path: Path) -> None:
    target = tmp_path / "file"
    with start_confined(1) as workers:
        error = workers.submit(_write, str(target)).exception()
    assert isinstance(error, OSError)
    assert not target.exists() or target.read_bytes() == b""  # before Landlock a file can be made, but not filled


def test_a_worker_reaches_nobody(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        _connect(port)
        with start_confined(1) as workers:
            error = workers.submit(_connect, port).exception()
    if error is None:
        pytest.skip("this kernel grants no network of its own")
    assert isinstance(error, OSError)


def test_modules_of_the_folder_it_is_started_in_are_not_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fired = tmp_path / "fired"
    for name in ("multiprocessing", "signal", "click", "migrate"):
        (tmp_path / f"{name}.py").write_text(f"open({str(fired)!r}, 'w').close()\n")
    monkeypatch.chdir(tmp_path)
    found = look(tmp_path, {"a.py": SCRIPT})
    assert found.migrations["a.py"].status is Status.MIGRATED
    assert not fired.exists()
