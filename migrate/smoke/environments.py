"""Private Python environments with a real torch_xla, one per version, kept in the user's cache folder.

The proof needs two torch_xla versions that cannot live in one interpreter, and neither belongs among the
dependencies of the tool: they are built on request, `python -m migrate.smoke.environments 2.9 2.1`, and reused.
2.1.0 stands in for the Training Compiler (`smtc`): it is the oldest torch_xla on PyPI, and every call written
for 1.13 runs on it.
"""

from __future__ import annotations

import argparse
import fcntl
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from migrate.migration import MigrateError

MARKER = "tc-migrate-ready.txt"
"""Written last, inside the environment: a folder without it is not an environment."""


@dataclass(frozen=True)
class Recipe:
    """How an environment is built."""

    version: str
    """The release of the package it is for."""
    pythons: tuple[tuple[int, int], ...]
    """Versions of Python that have wheels on PyPI, most wanted first."""
    installs: tuple[tuple[str, ...], ...]
    """Arguments of one `pip install` each, in order."""
    package: str = "torch_xla"
    """What the environment is made for."""

    @property
    def digest(self) -> str:
        """What the marker says: an environment built by another recipe is built anew."""
        return "\n".join(" ".join(arguments) for arguments in self.installs) + "\n"


RECIPES = {
    "2.9": Recipe(
        version="2.9.0",
        pythons=((3, 11), (3, 12), (3, 10), (3, 13)),
        installs=(
            ("torch==2.9.0", "torch_xla==2.9.0", "numpy"),
            # torchvision pins the torch it was built with; nothing but pillow and numpy is needed beside it.
            ("--no-deps", "torchvision==0.24.0", "pillow"),
        ),
    ),
    "2.4": Recipe(
        version="2.4.0",
        pythons=((3, 11), (3, 10)),
        # torch_xla up to 2.4 was made beside numpy 1.
        installs=(
            ("torch==2.4.0", "torch_xla==2.4.0", "numpy<2"),
            ("--no-deps", "torchvision==0.19.0", "pillow"),
        ),
    ),
    "2.3": Recipe(
        version="2.3.0",
        pythons=((3, 11), (3, 10)),
        installs=(
            ("torch==2.3.0", "torch_xla==2.3.0", "numpy<2"),
            ("--no-deps", "torchvision==0.18.0", "pillow"),
        ),
    ),
    "2.2": Recipe(
        version="2.2.0",
        pythons=((3, 11), (3, 10)),
        installs=(
            ("torch==2.2.0", "torch_xla==2.2.0", "numpy<2"),
            ("--no-deps", "torchvision==0.17.0", "pillow"),
        ),
    ),
    "2.1": Recipe(
        version="2.1.0",
        pythons=((3, 11), (3, 10)),
        # torch 2.1 was built against numpy 1: with numpy 2 `Tensor.numpy()` fails.
        installs=(
            ("torch==2.1.0", "torch_xla==2.1.0", "numpy<2"),
            ("--no-deps", "torchvision==0.16.0", "pillow"),
        ),
    ),
}

TORCH_1 = Recipe(
    version="1.13.1",
    pythons=((3, 8), (3, 10), (3, 9)),
    installs=(("torch==1.13.1", "numpy<2"),),
    package="torch",
)
"""The torch of the Training Compiler's last containers, whose torch_xla is on no index: the stand-in serves it."""


@dataclass(frozen=True)
class Environment:
    """An interpreter that can import one version of a package, or the user's own (`version` empty)."""

    version: str
    python: Path


def cache_folder() -> Path:
    """`$XDG_CACHE_HOME/tc-migrate/environments`, or the same under `~/.cache`."""
    cache = os.environ.get("XDG_CACHE_HOME", "")
    return (Path(cache) if cache else Path.home() / ".cache") / "tc-migrate" / "environments"


def find(name: str) -> Environment | None:
    """The ready environment for torch_xla `name` ("2.9", "2.1"), or None. Builds nothing.

    Raises MigrateError when there is no recipe for `name`.
    """
    return find_built(recipe_for(name))


def find_built(recipe: Recipe) -> Environment | None:
    """The ready environment of a recipe, or None. Builds nothing."""
    for python in recipe.pythons:
        environment = environment_at(recipe, folder_for(recipe, python))
        if environment is not None:
            return environment
    return None


def provision(name: str, output: int | None = None) -> Environment:
    """The environment for torch_xla `name`, as `provision_recipe` makes it. Takes minutes and gigabytes."""
    return provision_recipe(recipe_for(name), output)


def provision_recipe(recipe: Recipe, output: int | None = None) -> Environment:
    """The environment of a recipe, built now unless it is ready.

    Safe to call from several processes at once: one builds, the others wait and reuse. `output` is the file
    descriptor for pip's report (None: inherited). Raises MigrateError when no fitting Python is found or pip fails.
    """
    ready = find_built(recipe)
    if ready is not None:
        return ready
    interpreter, python = find_python(recipe)
    folder = folder_for(recipe, python)
    folder.parent.mkdir(parents=True, exist_ok=True)
    with locked(folder.with_name(folder.name + ".lock")):
        environment = environment_at(recipe, folder)
        return environment if environment is not None else build(recipe, interpreter, folder, output)


def build(recipe: Recipe, interpreter: Path, folder: Path, output: int | None) -> Environment:
    """Install into a temporary sibling, then rename: a build that was broken off leaves no half environment behind."""
    scratch = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
    try:
        run([str(interpreter), "-m", "venv", "--clear", str(scratch)], output)
        python = scratch / "bin" / "python"
        for arguments in recipe.installs:
            run([str(python), "-m", "pip", "install", "--no-input", "--no-cache-dir", *arguments], output)
        (scratch / MARKER).write_text(recipe.digest, encoding="utf-8")
        shutil.rmtree(folder, ignore_errors=True)
        scratch.rename(folder)
    except OSError as error:
        raise MigrateError(
            f"cannot build the {recipe.package} {recipe.version} environment in {folder}: {error}"
        ) from error
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    environment = environment_at(recipe, folder)
    if environment is None:
        raise MigrateError(f"the {recipe.package} {recipe.version} environment in {folder} has no interpreter")
    return environment


def recipe_for(name: str) -> Recipe:
    """The recipe for "2.9" or "2.9.0". Raises MigrateError for any other version."""
    for key, recipe in RECIPES.items():
        if name in (key, recipe.version):
            return recipe
    raise MigrateError(f"no recipe for a torch_xla {name} environment; there are recipes for {', '.join(RECIPES)}")


def folder_for(recipe: Recipe, python: tuple[int, int]) -> Path:
    """Where the environment of one recipe and one Python version lives."""
    return cache_folder() / f"{recipe.package}-{recipe.version}-py{python[0]}{python[1]}"


def environment_at(recipe: Recipe, folder: Path) -> Environment | None:
    """The environment in `folder`, if a build by this recipe finished there."""
    marker, python = folder / MARKER, folder / "bin" / "python"
    try:
        ready = marker.read_text(encoding="utf-8") == recipe.digest and python.exists()
    except OSError:
        return None
    return Environment(recipe.version, python) if ready else None


def find_python(recipe: Recipe) -> tuple[Path, tuple[int, int]]:
    """An interpreter of a version that `recipe` has wheels for: this one, on PATH, or among pyenv's.

    Raises MigrateError when there is none.
    """
    if sys.version_info[:2] in recipe.pythons:
        return Path(sys.executable), sys.version_info[:2]
    for python in recipe.pythons:
        for candidate in interpreters(python):
            if version_of(candidate) == python:
                return candidate, python
    wanted = ", ".join(f"{major}.{minor}" for major, minor in sorted(recipe.pythons))
    raise MigrateError(
        f"{recipe.package} {recipe.version} needs a Python of version {wanted}; none was found on PATH or in pyenv"
    )


def interpreters(python: tuple[int, int]) -> Iterator[Path]:
    """Files that may be an interpreter of this version. A pyenv shim on PATH may refuse to start, so all are tried."""
    major, minor = python
    for folder in os.get_exec_path():
        candidate = Path(folder) / f"python{major}.{minor}"
        if os.access(candidate, os.X_OK):
            yield candidate
    root = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv")
    yield from sorted((root / "versions").glob(f"{major}.{minor}.*/bin/python"), reverse=True)


def version_of(interpreter: Path) -> tuple[int, int] | None:
    """The version that `interpreter` says it is; None when it does not start or has no `venv`."""
    code = "import sys, venv, ensurepip; print(*sys.version_info[:2])"
    try:
        answer = subprocess.run(
            [str(interpreter), "-c", code], capture_output=True, text=True, timeout=60, check=True
        ).stdout.split()
    except (OSError, subprocess.SubprocessError):
        return None
    return (int(answer[0]), int(answer[1])) if len(answer) == 2 else None


def run(command: Sequence[str], output: int | None) -> None:
    """Run one step of a build. Raises MigrateError with the command line when it fails."""
    # An environment of the caller's must not leak into the new one.
    environment = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "PYTHONHOME")}
    ended = subprocess.run(list(command), stdout=output, stderr=output, env=environment, check=False)
    if ended.returncode != 0:
        raise MigrateError(f"exit status {ended.returncode} of: {' '.join(command)}")


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold an advisory lock on `path`. The kernel releases it when the process ends, however it ends."""
    with path.open("w", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def main(arguments: Sequence[str] | None = None) -> int:
    """The provisioning command. Prints each interpreter; exit status 2 when one cannot be had."""
    parser = argparse.ArgumentParser(prog="python -m migrate.smoke.environments", description=main.__doc__)
    parser.add_argument("versions", nargs="+", metavar="VERSION", help=f"torch_xla version: {', '.join(RECIPES)}")
    for version in parser.parse_args(arguments).versions:
        try:
            print(version, provision(version).python, flush=True)
        except MigrateError as error:
            print(f"error: {error}", file=sys.stderr)
            return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
