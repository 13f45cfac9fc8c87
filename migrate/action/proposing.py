"""The mode `pr`: the pull request of the repository, as `tc-migrate pr` makes it. No checkout is looked at."""

from __future__ import annotations

import io
import json
import os
from contextlib import redirect_stdout
from typing import Any

import click

from migrate.action.inputs import Inputs
from migrate.action.job import Job
from migrate.cli_pr import pr
from migrate.migration import MigrateError
from migrate.render.markdown import escape

OWN_BRANCHES = "tc-migrate/"
RIGHTS = (
    "the job needs `contents: write` and `pull-requests: write` below `permissions`, and Settings > Actions > General "
    "has to allow GitHub Actions to create pull requests"
)
"""What a refusal by the forge comes from."""


def propose(inputs: Inputs, job: Job) -> int:
    """Open or update it. The exit code. Raises MigrateError."""
    if job.is_for_a_fork:
        raise MigrateError("the token of a fork's pull request may only read: mode `pr` is for pushes and schedules")
    base = inputs.base or job.branch
    if base.startswith(OWN_BRANCHES):
        job.say("notice", f"{base} is a branch of tc-migrate's own: nothing is proposed to it")
        return 0
    os.environ["GITHUB_TOKEN"] = inputs.token
    wanted = {
        "base": base,
        "target": inputs.target,
        "select": ",".join(inputs.select),
        "ignore": ",".join(inputs.ignore),
        "safety": inputs.safety,
    }
    words = ["--json", *(f"--{name}={value}" for name, value in wanted.items() if value), "--", job.repository]
    try:
        with redirect_stdout(io.StringIO()) as printed:
            code = pr.main(words, standalone_mode=False)
    except (click.ClickException, MigrateError) as error:
        why = error.format_message() if isinstance(error, click.ClickException) else str(error)
        raise MigrateError(f"{why}\n{RIGHTS}" if " 403" in why else why) from error
    if code:
        return int(code)
    _report(json.loads(printed.getvalue()), job)
    return 0


def _report(found: dict[str, Any], job: Job) -> None:
    """`found`: as `tc-migrate pr --json` prints it."""
    print(found["text"])
    job.set_outputs(pull_request=found["url"])
    if job.summary is not None:
        outcome, reason = (escape(found[name]) for name in ("outcome", "reason"))
        linked = f"[{outcome}]({found['url']})" if found["url"] else outcome
        job.summary.write_text(f"**tc-migrate**: {linked}{f': {reason}' if reason else ''}\n", encoding="utf-8")
