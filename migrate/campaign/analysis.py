"""The analysis of one repository: fetched, migrated, and what came of it noted in a folder. It runs in a child."""

from __future__ import annotations

import os
import re
import time
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from migrate import __version__
from migrate.bot.git.remote import GitError, Remote
from migrate.bot.origin import Origin
from migrate.bot.plan import Plan
from migrate.bot.request import Answer, Unwanted, answer
from migrate.bot.settings import SettingsError
from migrate.campaign.order import Order
from migrate.campaign.proposal import Note, Proposal, open_store
from migrate.campaign.record import Record, Result
from migrate.campaign.sources import Kind, Source
from migrate.campaign.text import write_text
from migrate.campaign.trouble import tell_error, tell_trouble
from migrate.forge.faults import ForgeError
from migrate.render.diff import find_hunks
from migrate.render.entry import Entry
from migrate.render.report import count


def analyse(order: Order, number: int, record: Record, folder: Path) -> Note:
    """What is to be done in a repository; what is needed to do it is left in the folder. Raises Postpone at a limit of
    the forge."""
    begun = time.monotonic()
    try:
        note = _analyse(order, number, record, folder)
    except SettingsError as error:
        note = tell_error("settings", str(error))
    except Unwanted as error:
        note = Note(Result.SKIPPED.value, {"reason": str(error)})
    except GitError as error:
        note = tell_error("git", str(error), retryable=record.source.kind is not Kind.LOCAL)
    except ForgeError as error:
        note = tell_trouble(error)
    known = {"seconds": round(time.monotonic() - begun, 3), "tool": __version__, "options": order.options}
    return Note(note.what, {**known, **note.known})


def find_remote(order: Order, source: Source) -> Remote:
    """Where git finds a repository. Raises GitError, and Unwanted for a folder that is none."""
    if source.kind is Kind.FORGE:
        return order.place(source).remote
    if source.kind is Kind.LOCAL:
        if source.path.is_symlink():
            raise Unwanted(f"a link: name the folder it leads to, {os.path.realpath(source.path)}")
        if not source.path.is_dir():
            raise GitError("there is no such folder")
        if not ((source.path / ".git").exists() or (source.path / "HEAD").is_file()):
            raise Unwanted("no git repository")
    return source.remote()


def _analyse(order: Order, number: int, record: Record, folder: Path) -> Note:
    remote, store = find_remote(order, record.source), open_store(folder)
    base = order.request.base or store.default_branch(remote)
    tip = store.head(remote, base) if base else None
    if base and tip is None:
        raise Unwanted(f"it has no branch {base}")
    if (tip, base) == (record.commit, record.base) and order.is_met(record):
        return Note("unchanged")
    is_there = record.source.kind is Kind.FORGE
    forge = order.place(record.source).forge() if order.opens(record.source) else None
    found = answer(replace(order.request, base=base or ""), store, remote, forge)
    commit = found.survey.contents.commit
    origin = order.place(record.source).origin(commit) if is_there else Origin("local/repository", commit)
    plan = found.survey.plan(origin, answers=False)
    if order.text and is_there:
        plan = write_text(order.text, plan, found.survey, origin, found.base)
    settings = found.survey.settings
    Proposal(plan, found.base, settings.labels, settings.draft, settings.exclude).write(folder)
    _keep(order.folder / "patches", f"{number:04}-{_slug(record.source)}", found, plan, with_text=is_there)
    return Note((Result.CLEAN if plan.is_empty and not plan.held else Result.CHANGES).value, _facts(found, plan))


def _facts(found: Answer, plan: Plan) -> dict[str, Any]:
    counts = asdict(count(list(found.survey.migrations.values())))
    counts["unread"] = len(found.survey.sources.skipped)
    return {
        "base": found.base,
        "commit": plan.marker.base,
        "changes": plan.marker.changes,
        "branch": plan.branch,
        "counts": counts,
    }


def _keep(folder: Path, name: str, found: Answer, plan: Plan, *, with_text: bool) -> None:
    """What would be proposed, for a person to read."""
    paths = [folder / f"{name}.patch", folder / f"{name}.md"]
    for path in paths:
        path.unlink(missing_ok=True)
    if plan.is_empty:
        return
    folder.mkdir(exist_ok=True)
    patches = (
        Entry(each, path, each.result, find_hunks(each.source, each.result)).patch
        for path, each in sorted(found.survey.migrations.items())
    )
    paths[0].write_bytes("".join(patches).encode("utf-8", "backslashreplace"))
    if with_text:
        paths[1].write_bytes(f"# {plan.title}\n\n{plan.body}".encode("utf-8", "backslashreplace"))


def _slug(source: Source) -> str:
    """Of a name what can stand in the name of any file."""
    return re.sub(r"[^A-Za-z0-9.]+", "-", source.name).strip("-.")[-60:] or "repository"
