"""The Action's only step: make tc-migrate available, in an environment of its own, and hand over to it.

Nothing but the standard library is needed. It is started with `python3 -I`, as is all that it starts: the current
folder is a checkout that anybody may have written, and Python would look there for modules first.
"""

import hashlib
import os
import re
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
"""The tc-migrate that this action belongs to."""


def main() -> int:
    """Install and run; the exit code of the step. 2: not even started."""
    # One stream, so that the runner reads what is printed in the order in which it is.
    os.dup2(1, 2)
    if sys.version_info < (3, 10):  # noqa: UP036 - the job's own Python may be any
        return refuse("Python 3.10 or newer is needed as python3: use actions/setup-python")
    version = os.environ.get("INPUT_VERSION", "").strip()
    if not re.fullmatch(r"[0-9A-Za-z.+!]*", version):
        return refuse("the input `version` is a version such as 0.1.0, or `installed`")
    if version == "installed":
        python = Path(sys.executable)
    else:
        extras = "[bot]" if os.environ.get("INPUT_MODE") == "pr" else ""
        python = install(f"tc-migrate{extras}=={version}" if version else f"{ROOT}{extras}")
    return subprocess.run([python, "-I", "-m", "migrate.action"]).returncode


def install(requirement: str) -> Path:
    """The Python of an environment with the requirement, made once for a job. Raises CalledProcessError."""
    name = hashlib.sha256(f"{requirement} {sys.version}".encode()).hexdigest()[:16]
    folder = Path(os.environ.get("RUNNER_TEMP") or tempfile.gettempdir()) / f"tc-migrate-{name}"
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    finished = folder / "finished"
    if not finished.exists():
        venv.create(folder, clear=True, with_pip=True)
        words = [python, "-I", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", requirement]
        # What is installed may run code of its own: that gets no token.
        surroundings = {key: value for key, value in os.environ.items() if key != "INPUT_TOKEN"}
        subprocess.run(words, check=True, env=surroundings)
        finished.touch()
    return python


def refuse(why: str) -> int:
    """Say why there is nothing to run."""
    print(f"::error title=tc-migrate::{why}")
    return 2


if __name__ == "__main__":
    try:
        code = main()
    except subprocess.CalledProcessError:
        code = refuse("it could not be installed: see the lines above")
    sys.exit(code)
