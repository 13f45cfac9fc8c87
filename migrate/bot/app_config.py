"""What the work of the App's jobs has to know."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True, kw_only=True)
class AppConfig:
    """The App, the forge, and the machine."""

    app_id: int
    key: str = field(repr=False)
    """The private key as PEM text."""
    name: str
    """The App's own name in addresses, its slug. As a user it is `name[bot]`."""
    api: str = "https://api.github.com"
    web: str = "https://github.com"
    """Where people read, and where git fetches from and pushes to. Without a slash at the end."""
    folder: Path
    """For what a job keeps while it lasts. It names private repositories and holds their code."""
    jobs: int = 1
    """Processes of one job that parse at once."""
    pause: float = 1.0
    """Seconds between writes, of which GitHub wants one at least."""
    attempts: int = 5
    """After which a job is given up, and its owners are told."""
