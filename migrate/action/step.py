"""One step of a job: what its inputs ask for is done while the runner takes no commands, then it is told.

The runner takes commands out of whatever a step prints: `::error::...` at the beginning of a line, `##[error]...`
anywhere in it. Names, messages and tracebacks come from a repository that anybody may have written.
"""

from __future__ import annotations

import secrets
import sys
import traceback
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from migrate.action.inputs import read_inputs
from migrate.action.job import Job
from migrate.action.migrating import migrate
from migrate.action.proposing import propose
from migrate.migration import MigrateError


def step(environment: Mapping[str, str]) -> int:
    """Do what the inputs ask. The exit code: 1 for findings that `fail-on` names, 2 when something went wrong."""
    job = Job(environment)
    try:
        with _commands_stopped():
            return _do(job)
    finally:
        sys.stdout.writelines(job.commands)
        sys.stdout.flush()


def _do(job: Job) -> int:
    try:
        inputs = read_inputs(job.environment)
        return propose(inputs, job) if inputs.mode == "pr" else migrate(inputs, job)
    except MigrateError as error:
        job.say("error", str(error))
    except Exception:
        traceback.print_exc()
        job.say("error", "tc-migrate broke down: the log has the traceback")
    return 2


@contextmanager
def _commands_stopped() -> Iterator[None]:
    """Nothing printed meanwhile is a command to the runner: nobody can guess the word that ends it."""
    token = secrets.token_hex(16)
    print(f"::stop-commands::{token}", flush=True)
    try:
        yield
    finally:
        sys.stderr.flush()
        # Whoever printed last may not have ended the line.
        print(f"\n::{token}::", flush=True)
