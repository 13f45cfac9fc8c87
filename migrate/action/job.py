"""The job that a step belongs to, as the runner shows it: by variables, and by files to write to."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from migrate.migration import MigrateError
from migrate.render.as_github import workflow_command


@dataclass(frozen=True)
class Job:
    """What the step knows and says."""

    environment: Mapping[str, str]
    commands: list[str] = field(default_factory=list)
    """For the runner, in the order in which they are to be printed."""

    def say(self, level: str, message: str) -> None:
        """An annotation of no file. `level`: `error`, `warning` or `notice`."""
        self.commands.append(workflow_command(level, {"title": "tc-migrate"}, message))

    def set_outputs(self, **values: str) -> None:
        """For the steps after this one; `_` in a name stands for `-`. A value is one line."""
        if file := self.environment.get("GITHUB_OUTPUT"):
            with open(file, "a", encoding="utf-8") as outputs:
                outputs.writelines(f"{name.replace('_', '-')}={value}\n" for name, value in values.items())

    @property
    def summary(self) -> Path | None:
        """The file whose Markdown is shown on the page of the run."""
        file = self.environment.get("GITHUB_STEP_SUMMARY")
        return Path(file) if file else None

    @property
    def workspace(self) -> Path:
        """Where checkouts are."""
        return Path(self.environment.get("GITHUB_WORKSPACE") or ".")

    @property
    def repository(self) -> str:
        """`owner/name`, of which the workflow is."""
        return self.environment.get("GITHUB_REPOSITORY", "")

    @property
    def branch(self) -> str:
        """The one that the workflow runs for, of a pull request the base. Raises MigrateError when there is none."""
        is_branch = self.environment.get("GITHUB_REF_TYPE") == "branch"
        name = self.environment.get("GITHUB_REF_NAME", "") if is_branch else ""
        branch = self.environment.get("GITHUB_BASE_REF") or name
        if not branch:
            raise MigrateError("the workflow runs for no branch: name one by the input `base`")
        return branch

    @property
    def is_for_a_fork(self) -> bool:
        """Whether it runs for the pull request of a fork: such a job is shown no secrets."""
        pull = self._event.get("pull_request")
        if not isinstance(pull, dict):
            return False
        fork = pull["head"]["repo"]
        return fork is None or fork["full_name"] != self.repository  # None: it has been deleted

    @cached_property
    def _event(self) -> dict[str, Any]:
        file = self.environment.get("GITHUB_EVENT_PATH")
        event = json.loads(Path(file).read_text(encoding="utf-8")) if file else {}
        return event if isinstance(event, dict) else {}
