"""The secrets that the App runs with: of files that nobody else may read, or of the environment, which then loses them.

They are never taken from the command line, where everybody on the machine can see them.
"""

from __future__ import annotations

import os
import stat
from collections.abc import MutableMapping
from dataclasses import dataclass, field
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from cryptography.hazmat.primitives.serialization import load_pem_private_key

from migrate.bot.redaction import conceal
from migrate.migration import MigrateError

KEY, SECRET, PASSWORD = (f"TC_MIGRATE_{name}" for name in ("PRIVATE_KEY", "WEBHOOK_SECRET", "DASHBOARD_PASSWORD"))
"""The variables. A file is given by an option, or by the variable of this name with `_FILE` at its end."""
_LARGEST = 64 * 1024
"""Bytes of a file."""


class CredentialError(MigrateError):
    """A secret is not there, or others can read it. The message holds none."""


@dataclass(frozen=True)
class Credentials:
    """What they are. Whoever prints this sees none of them."""

    key: str = field(repr=False)
    """The private key as PEM text."""
    webhook: tuple[str, ...] = field(default=(), repr=False)
    """Of the webhook; more than one while one replaces another."""
    password: str = field(default="", repr=False)
    """Of the operator's page; nothing: no page."""


@dataclass(frozen=True)
class Files:
    """Where they are, as far as they are in files."""

    key: Path | None = None
    webhook: Path | None = None
    password: Path | None = None


def take_credentials(files: Files, environment: MutableMapping[str, str], *, receives: bool = True) -> Credentials:
    """Read them and take them out of the environment, so that no process started later gets them that way.

    `receives`: whether there has to be a secret of the webhook. From now on no log shows them. Raises CredentialError.
    """
    given = {name: environment.pop(name, "") for name in (KEY, SECRET, PASSWORD)}
    key = _take("private key", files.key, given[KEY].replace("\\n", "\n"), KEY).strip()
    if not key:
        raise CredentialError(f"no private key of the App: set {KEY}_FILE or {KEY}")
    webhook = _take("secret of the webhook", files.webhook, given[SECRET].replace(",", "\n"), SECRET)
    secrets = tuple(filter(None, map(str.strip, webhook.splitlines())))
    if receives and not secrets:
        raise CredentialError(f"no secret of the webhook: set {SECRET}_FILE or {SECRET}")
    password = _take("password", files.password, given[PASSWORD], PASSWORD).strip()
    conceal(*secrets, password, key)
    _judge_key(key)
    return Credentials(key, secrets, password)


def read_private(path: Path) -> str:
    """A file that nobody else may read; one of root's may also be read by its group. Raises CredentialError."""
    try:
        with path.open("rb") as file:
            found = os.fstat(file.fileno())
            if not stat.S_ISREG(found.st_mode):
                raise CredentialError(f"{path}: not a file")
            others = stat.S_IMODE(found.st_mode) & 0o077
            if others and not (found.st_uid == 0 and others == 0o040):
                raise CredentialError(f"{path}: others can read or write it; chmod 600 {path}")
            return file.read(_LARGEST).decode()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not a text"
        raise CredentialError(f"{path}: {reason}") from None


def _take(what: str, file: Path | None, given: str, name: str) -> str:
    if file is not None and given:
        raise CredentialError(f"two places for the {what}: {name} and a file")
    return read_private(file) if file is not None else given


def _judge_key(key: str) -> None:
    try:
        found = load_pem_private_key(key.encode(), None)
    except (ValueError, TypeError):
        raise CredentialError("the private key is not one: GitHub gives it as a .pem file") from None
    if not isinstance(found, RSAPrivateKey):
        raise CredentialError("the private key is not one of RSA, as an App's is")
