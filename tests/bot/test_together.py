"""From a commit to the branch that is proposed, without a forge: every byte that is no edit is as it was."""

from __future__ import annotations

from pathlib import Path

from migrate.bot.body import Proposal
from migrate.bot.git.commits import Author
from migrate.bot.git.remote import Remote
from migrate.bot.git.store import Store
from migrate.bot.origin import Origin
from migrate.bot.plan import Plan, make_plan
from migrate.bot.settings import PATH, read_settings
from migrate.bot.sources import read_sources
from migrate.project import migrate_project
from tests.bot.repositories import commit_files, git, listing, make_bare

BOT = Author("tc-migrate[bot]", "1+tc-migrate[bot]@users.noreply.github.com")
SCRIPT = "import torch\r\n# caf\u00e9\r\nmodel = torch.nn.Linear(2, 2).cuda()\r\n"
FILES = {
    "latin.py": b"# -*- coding: latin-1 -*-\r\n" + SCRIPT.encode("latin-1"),
    "bom.py": b"\xef\xbb\xbf" + SCRIPT.encode(),
    "old/excluded.py": SCRIPT.encode(),
    "broken.py": b"import torch\nx.cuda(\n",
    "binary.py": b"torch.cuda \xff\xfe\x00",
    "README.md": b"# Hello\n",
    PATH: b"target: torch-xla==2.9\nexclude: [old]\n",
}


def propose(folder: Path, where: Remote) -> tuple[Plan, str]:
    """What a job does, up to the pull request."""
    store = Store(folder)
    base = store.fetch(where, "main")
    settings = read_settings(store, base)
    contents = store.read(base)
    sources = read_sources(contents, settings)
    migrations = dict(migrate_project(sources.texts, target=settings.target))
    plan = make_plan(migrations, Proposal(Origin("o/n", base), settings.target, "0.1.0", (), sources.skipped))
    tip = store.write(contents, list(sources.drafts(plan.steps)), BOT)
    store.push(where, plan.branch, tip, expected=store.head(where, plan.branch))
    return plan, tip


def test_a_branch_is_made_once_and_holds_the_migration(tmp_path: Path) -> None:
    origin = make_bare(tmp_path / "origin")
    commit = commit_files(origin, FILES)
    plan, tip = propose(tmp_path / "one", Remote(str(origin)))
    again, same = propose(tmp_path / "two", Remote(str(origin)))
    assert (plan, tip) == (again, same)
    assert git(origin, "rev-parse", "tc-migrate/torch-xla-2.9").decode() == tip
    before, after = listing(origin, commit), listing(origin, tip)
    assert {path for path in before | after if before.get(path) != after.get(path)} == {b"latin.py", b"bom.py"}
    for name in ("latin.py", "bom.py"):
        old, new = FILES[name].removesuffix(b"\n").split(b"\n"), git(origin, "show", f"{tip}:{name}").split(b"\n")
        kept = [line for line in old if line in new]
        assert [line for line in old if line not in kept] == [b"model = torch.nn.Linear(2, 2).cuda()\r"]
        assert b"model = torch.nn.Linear(2, 2).to(device)\r" in new
    assert "`broken.py` skipped" in plan.body
    assert "`binary.py` not read" in plan.body
    assert "excluded" not in plan.body
    assert git(origin, "fsck", "--strict") == b""
