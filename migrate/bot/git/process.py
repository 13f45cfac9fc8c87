"""Running git in an environment built from nothing, with limits on its time and on what it writes.

git 2.38 is the oldest that knows all of these settings; one that it does not know would be passed over in silence.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO

from migrate.bot.git.remote import GitError, Remote

_KEPT = ("PATH", "http_proxy", "https_proxy", "HTTPS_PROXY", "no_proxy", "NO_PROXY", "SSL_CERT_FILE", "SSL_CERT_DIR")
"""The operator's way to git and to the network. Of all else that the bot's environment holds git sees nothing."""
_FIXED = {
    "LC_ALL": "C",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_ASKPASS": "true",
    "SSH_ASKPASS": "true",
    "GIT_PROTOCOL_FROM_USER": "0",
    "GIT_LFS_SKIP_SMUDGE": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_LITERAL_PATHSPECS": "1",
}
_CONFIG = {
    "core.hooksPath": os.devnull,
    "core.fsmonitor": "false",
    "core.symlinks": "false",
    "core.attributesFile": os.devnull,
    "core.protectNTFS": "true",
    "core.protectHFS": "true",
    "core.sshCommand": "false",
    "core.alternateRefsCommand": "true",
    "safe.bareRepository": "explicit",
    "submodule.recurse": "false",
    "fetch.recurseSubmodules": "false",
    "transfer.fsckObjects": "true",
    # Old and harmless: zeros before file modes, as some early programs wrote them.
    "fetch.fsck.zeroPaddedFilemode": "ignore",
    "credential.helper": "",
    "http.followRedirects": "false",
    "http.lowSpeedLimit": "1000",
    "http.lowSpeedTime": "30",
    "diff.external": "",
    "commit.gpgSign": "false",
    "push.gpgSign": "false",
    "gc.auto": "0",
    "maintenance.auto": "false",
}
"""Set for every command, so that neither a repository nor who runs the bot says otherwise."""
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_REASONS = (
    (r"url base from redirection|returned error: 30\d", " (renamed or transferred: give its name of now)"),
    (r"returned error: 403", " (archived, or the token may only read)"),
)
"""What git does not say of an answer of the forge."""
_TOO_LARGE = "brings more than is allowed"


def build_environment(folder: Path, remote: Remote | None = None) -> dict[str, str]:
    """All the variables that git gets to see. `folder`: the bare repository; without a `remote` no network either."""
    config = dict(_CONFIG)
    if remote is not None and remote.authorization:
        config[f"http.{remote.origin}.extraHeader"] = remote.authorization
    numbered: dict[str, str] = {"GIT_CONFIG_COUNT": str(len(config))}
    for number, (key, value) in enumerate(config.items()):
        numbered |= {f"GIT_CONFIG_KEY_{number}": key, f"GIT_CONFIG_VALUE_{number}": value}
    return {
        **{name: os.environ[name] for name in _KEPT if name in os.environ},
        **_FIXED,
        "HOME": str(folder),
        "GIT_DIR": str(folder),
        "GIT_ALLOW_PROTOCOL": remote.protocol if remote is not None else "none",
        **numbered,
    }


def run_git(
    words: Sequence[str],
    folder: Path,
    *,
    remote: Remote | None = None,
    given: bytes = b"",
    seconds: float,
    largest: int,
) -> bytes:
    """What `git WORDS` says, working on the bare repository `folder`; `given` is its standard input.

    Raises GitError when it fails, when it takes longer than `seconds`, or when it writes a file of more than `largest`
    bytes, its own output among them (on Linux: elsewhere only the time is limited).
    """
    with tempfile.TemporaryFile() as source, tempfile.TemporaryFile() as said, tempfile.TemporaryFile() as complaint:
        source.write(given)
        source.seek(0)
        code = _wait(words, build_environment(folder, remote), folder, (source, said, complaint), seconds, largest)
        if code:
            raise GitError(_explain(words[0], code, _read(complaint) + _read(said), remote))
        said.seek(0)
        return said.read()


def _wait(
    words: Sequence[str],
    environment: Mapping[str, str],
    folder: Path,
    streams: tuple[IO[bytes], IO[bytes], IO[bytes]],
    seconds: float,
    largest: int,
) -> int:
    try:
        process = subprocess.Popen(
            ["git", *words],
            env=environment,
            cwd=folder,
            stdin=streams[0],
            stdout=streams[1],
            stderr=streams[2],
            start_new_session=True,  # its own processes are ended with it
        )
    except OSError as error:
        raise GitError(f"git cannot be run: {error.strerror}") from error
    try:
        _limit(process.pid, largest)
        return process.wait(seconds)
    except subprocess.TimeoutExpired:
        raise GitError(f"git {words[0]} takes longer than {seconds:g} seconds") from None
    finally:
        if process.poll() is None:
            _end(process)


def _limit(process: int, largest: int) -> None:
    """Limit each file it writes from now on. It has only just begun: what it starts later inherits the limit."""
    if sys.platform == "linux":
        import resource

        try:
            resource.prlimit(process, resource.RLIMIT_FSIZE, (largest, largest))
            resource.prlimit(process, resource.RLIMIT_CORE, (0, 0))
        except ProcessLookupError:
            return


def _end(process: subprocess.Popen[bytes]) -> None:
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError, AttributeError):
        process.kill()
    process.wait()


def _read(stream: IO[bytes]) -> str:
    stream.seek(0)
    return stream.read(20_000).decode("utf-8", "replace")


def _explain(command: str, code: int, said: str, remote: Remote | None) -> str:
    """Why git failed, in one line."""
    if code == -getattr(signal, "SIGXFSZ", 25) or "died of signal 25" in said or "File too large" in said:
        return f"git {command}: {_TOO_LARGE}"
    for secret in remote.secrets if remote is not None else ():
        said = said.replace(secret, "***")
    lines = [_CONTROL.sub("?", line.strip()) for line in re.split(r"[\r\n]+", said) if line.strip()]
    why = next((words for pattern, words in _REASONS if re.search(pattern, said)), "")
    return f"git {command}: {'; '.join(_telling(lines))[:500] or f'exit code {code}'}{why}"


def _telling(lines: Sequence[str]) -> Iterator[str]:
    """The lines that say what is wrong; the last ones when none is marked so."""
    marked = [line for line in lines if line.startswith(("fatal:", "error:", "remote:", "!"))]
    yield from marked or lines[-2:]
