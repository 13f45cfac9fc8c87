"""Which files are scripts: those below a folder, as git knows them or as they lie there, and those a pattern names."""

from __future__ import annotations

import glob
import os
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

SKIPPED_FOLDERS = frozenset({"__pycache__", "node_modules", "site-packages", "venv"})
# A folder called `env` may well hold a reinforcement learning environment: look inside instead.
_PROJECT_MARKS = (".git", "pyproject.toml", "setup.py", "setup.cfg")
_ENVIRONMENT_MARKS = ("pyvenv.cfg", "conda-meta", "bin/activate")


def expand(paths: Iterable[str]) -> Iterator[Path]:
    """The paths, and for what is no path but a pattern (`"src/**/*.py"`) the files it matches, sorted."""
    for path in paths:
        if glob.has_magic(path) and not os.path.lexists(path):
            yield from map(Path, sorted(glob.glob(path, recursive=True)) or [path])
        else:
            yield Path(path)


def nothing(path: Path) -> bool:
    """No file is left out."""
    return False


class Found(NamedTuple):
    """A script that was found."""

    name: str
    """Its path, which begins with that of the folder given."""
    root: Path
    """The folder given, or the folder of the file given."""
    status: os.stat_result | None
    """None when the system does not tell: no such file, no permission, a link to nowhere."""


def find_scripts(
    paths: Iterable[Path],
    excluded: Callable[[Path], bool] = nothing,
    included: Callable[[str], object] = lambda name: name.endswith(".py"),
) -> Iterator[Found]:
    """The scripts that `paths` name, each once.

    Of a folder: every file below it whose name is `included`, sorted; not what git ignores, hidden ones, virtual
    environments, links to folders, nor what `excluded` says. A file that is named itself is taken whatever its name.
    Nothing is raised: what is not there is for the reader to say.
    """
    seen: set[str] = set()
    for path in paths:
        is_folder = os.path.isdir(path)
        # Thousands of files: their paths are joined as strings, and each is looked at once.
        above = os.path.join(path, "") if is_folder and path != Path() else ""
        for inside in _below(path, excluded, included) if is_folder else (str(path),):
            name = above + inside if inside else str(path)
            if name in seen:
                continue
            seen.add(name)
            try:
                status = os.stat(name)
            except (FileNotFoundError, NotADirectoryError):
                if is_folder:
                    continue  # what git still lists may have been deleted; a link to nowhere is no script
                status = None
            except OSError:
                status = None
            yield Found(name, path if is_folder else path.parent, status)


def project_folder(script: Path) -> Path:
    """The nearest folder at or above a script's that looks like the top of a project; else the script's own."""
    for folder in script.parents:
        if folder == Path.home():
            break
        if any((folder / mark).exists() for mark in _PROJECT_MARKS):
            return folder
    return script.parent


def leads_out(path: str | Path, folder: Path) -> bool:
    """Whether what is below a folder is a link, or lies in one, that leads out of it and of its repository.

    A repository may name any file of the machine like that, and what is read is shown in reports.
    """
    above, name = os.path.split(os.path.abspath(path))
    real = os.path.realpath(path) if os.path.islink(path) else os.path.join(_real(above), name)
    return not any(real.startswith(os.path.join(top, "")) for top in _tops(_real(os.path.abspath(folder))))


_real = cache(os.path.realpath)
"""Of folders: thousands of files lie in some of them."""


@cache
def _tops(folder: str) -> tuple[str, ...]:
    above = (folder, *map(str, Path(folder).parents))
    return (folder, *[top for top in above if os.path.exists(os.path.join(top, ".git"))][:1])


def _below(folder: Path, excluded: Callable[[Path], bool], included: Callable[[str], object]) -> list[str]:
    """The scripts below a folder, by relative path; an empty one for the folder itself when it cannot be listed."""
    listed = _listed_by_git(folder) if _in_repository(folder) else None
    # git lists nothing of a folder that is ignored as a whole; whoever names it wants it all the same.
    names = _wanted(folder, listed, excluded, included) if listed else []
    # By parts, so that a folder's files stay together: what ends a part comes before all else.
    names = sorted(names or _walk(folder, excluded, included), key=lambda name: name.replace("/", "\0"))
    return names if os.sep == "/" else [name.replace("/", os.sep) for name in names]


def _in_repository(folder: Path) -> bool:
    top = folder.resolve()
    return any((above / ".git").exists() for above in (top, *top.parents))


def _listed_by_git(folder: Path) -> list[str] | None:
    """The files below a folder that git tracks or would track, by relative path; None when git has trouble with it
    (it is not installed, the folder belongs to another user, the index is damaged, a folder cannot be listed)."""
    import subprocess

    # A repository may name a program as its file system monitor: reading files must not run it.
    words = ["git", "-c", "core.fsmonitor=false", "-C", str(folder)]
    words += ["ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    try:
        done = subprocess.run(words, capture_output=True, stdin=subprocess.DEVNULL)
    except OSError:
        return None
    if done.returncode or done.stderr:
        return None
    found = os.fsdecode(done.stdout).split("\0")[:-1]
    # A repository in the repository: git names the folder and does not look inside.
    inner = {name for name in found if "." not in name[name.rfind("/") + 1 :] and _is_folder(folder / name)}
    if inner:
        found = [name for name in found if name not in inner]
    for name in inner:
        found += [f"{name.rstrip('/')}/{each}" for each in _listed_by_git(folder / name) or ()]
    return found


def _is_folder(path: Path) -> bool:
    return path.is_dir() and not path.is_symlink()


def _wanted(
    folder: Path, names: list[str], excluded: Callable[[Path], bool], included: Callable[[str], object]
) -> list[str]:
    is_picky = excluded is not nothing  # a path for each of thousands of files is not made to be asked nothing
    top = os.path.join(folder, "")

    @cache
    def is_left_out(relative: str) -> bool:
        if not relative:
            return False
        here = top + relative
        return is_left_out(relative.rpartition("/")[0]) or _skips(here) or (is_picky and excluded(Path(here)))

    found = []
    for name in names:
        above, _, own = name.rpartition("/")
        if included(own) and not own.startswith(".") and not is_left_out(above):
            found.append(name)
    return [name for name in found if not excluded(folder / name)] if is_picky else found


def _walk(folder: Path, excluded: Callable[[Path], bool], included: Callable[[str], object]) -> list[str]:
    is_picky = excluded is not nothing
    top = os.path.join(folder, "")
    scripts: list[str] = []
    unlisted: list[OSError] = []
    for parent, folders, names in os.walk(folder, onerror=unlisted.append):
        here = Path(parent)
        folders[:] = [name for name in folders if not (_skips(os.path.join(parent, name)) or excluded(here / name))]
        found = [name for name in names if included(name) and not name.startswith(".")]
        inside = os.path.join(parent, "")[len(top) :].replace(os.sep, "/")
        scripts += [inside + name for name in found if not (is_picky and excluded(here / name))]
    # A folder that cannot be listed is handed on like a script: the reader says so, and nothing is silently left out.
    return scripts + [error.filename[len(top) :].replace(os.sep, "/") for error in unlisted]


def _skips(folder: str) -> bool:
    name = os.path.basename(folder)
    if name.startswith(".") or name in SKIPPED_FOLDERS:
        return True
    return any(os.path.exists(os.path.join(folder, mark)) for mark in _ENVIRONMENT_MARKS)
