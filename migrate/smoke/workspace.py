"""The folder a smoke run works in: the user's own, as a mirror that the script may write to.

A script reads its data where the user has it, yet must change nothing there. So its folder is mirrored: directories are
made anew, small files copied, large ones linked (`child/overwriting.py` gives a script that writes to one a copy), and
above it the folders that lead to it, so that `../data` is what it is for the user. New files land in the mirror, which
goes when the run has ended. The script runs in the mirrored root, as it does for a user who starts it there.
"""

from __future__ import annotations

import os
import shutil
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from migrate.migration import MigrateError

LEFT_OUT = frozenset(
    ".git .hg .svn .venv venv site-packages node_modules .tox .nox .idea .vscode wandb"
    " __pycache__ .mypy_cache .pytest_cache .ruff_cache .ipynb_checkpoints".split()
)
"""Names of directories that no training script reads, and some of which are very large."""

COPIED_FILE = 1 << 20
"""Bytes up to which a file is copied."""
COPIED_ALL = 64 << 20
"""Bytes that are copied in all; what comes later is linked."""
ENTRIES_IN_FOLDER = 2_000
"""A folder of more entries holds data: it is linked as a whole."""
ENTRIES_IN_ALL = 5_000
"""Entries after which the folders still to come are linked as a whole; the nearest come first."""


@dataclass(frozen=True)
class Workspace:
    """A mirror of the user's folder, and where the script is in it."""

    root: Path
    """The user's folder."""
    mirror: Path
    """Its mirror: the script's working directory."""
    script: Path
    """The script, in the mirror."""
    above: Path
    """The mirror of the file system's own root."""

    def unmirror(self, text: str) -> str:
        """`text` with the mirror's paths as the user knows them."""
        return text.replace(f"{self.above}{os.sep}", self.root.anchor)


def make_workspace(folder: Path, script: Path, root: Path | None, replaced: Mapping[Path, str]) -> Workspace:
    """Mirror `root` (by default the script's folder) under `folder`; `replaced` are files of other text, by their path
    in the root.

    Raises MigrateError when the script or a replaced file is not in the root, or the root cannot be read.
    """
    top = Path(os.path.abspath(script.parent if root is None else root))
    inside = path_in_root(script, root)
    above = folder / "mirror"
    mirror = above / top.relative_to(top.anchor)
    try:
        link_surroundings(top, mirror, above)
        mirror_folder(top, mirror, folder)
        for path, text in replaced.items():
            replace_file(mirror, path, text)
    except OSError as error:
        raise MigrateError(f"cannot mirror {top}: {error}") from error
    return Workspace(top, mirror, mirror / inside, above)


def path_in_root(script: Path, root: Path | None) -> Path:
    """Where a script is in the root that is mirrored, by default its own folder. Links are not followed.

    Raises MigrateError when it is elsewhere.
    """
    script = Path(os.path.abspath(script))
    top = script.parent if root is None else Path(os.path.abspath(root))
    if not script.is_relative_to(top):
        raise MigrateError(f"{script} is not in {top}, the folder it is to run in")
    return script.relative_to(top)


def link_surroundings(root: Path, mirror: Path, above: Path) -> None:
    """Make the folders above the mirror, each with links to what the user's has beside the way to the root."""
    mirror.mkdir(parents=True)
    for folder in root.parents:
        image = above / folder.relative_to(folder.anchor)
        try:
            names = os.listdir(folder)
        except OSError:
            continue  # a folder may be one that can be passed through but not listed
        if len(names) > ENTRIES_IN_FOLDER:
            continue
        for name in names:
            if not os.path.lexists(image / name):
                os.symlink(folder / name, image / name)


def mirror_folder(root: Path, mirror: Path, run: Path) -> None:
    """Fill `mirror` with copies and links of what is in `root`, the nearest folders first.

    The `run`'s own folder, which has the mirror, may be in the root: it is left out.
    """
    waiting = deque([(str(root), str(mirror))])
    entries_left, bytes_left = ENTRIES_IN_ALL, COPIED_ALL
    while waiting:
        source, target = waiting.popleft()
        entries = list_folder(source)
        entries_left -= len(entries)
        if source != str(root) and (len(entries) > ENTRIES_IN_FOLDER or entries_left < 0):
            os.symlink(source, target)
            continue
        os.makedirs(target, exist_ok=True)
        for entry in entries:
            place = os.path.join(target, entry.name)
            if entry.is_symlink():
                copy_link(entry.path, place, root, mirror)
            elif entry.is_dir(follow_symlinks=False):
                if entry.name not in LEFT_OUT and entry.name != run.name:
                    waiting.append((entry.path, place))
            elif entry.is_file(follow_symlinks=False):
                bytes_left -= copy_or_link(entry, place, bytes_left)


def list_folder(folder: str) -> list[os.DirEntry[str]]:
    """The entries of a folder in the order of their names; none when it may not be read."""
    try:
        with os.scandir(folder) as entries:
            return sorted(entries, key=lambda entry: entry.name)
    except PermissionError:
        return []


def copy_or_link(entry: os.DirEntry[str], place: str, bytes_left: int) -> int:
    """Copy a small file, link a large one. Returns how many bytes were copied."""
    size = entry.stat(follow_symlinks=False).st_size
    if size <= min(COPIED_FILE, bytes_left):
        try:
            shutil.copy(entry.path, place)
            return size
        except PermissionError:
            pass  # a link to it fails for the script as the file itself does for the user
    os.symlink(entry.path, place)
    return 0


def copy_link(link: str, place: str, root: Path, mirror: Path) -> None:
    """Make a symbolic link anew: one into the root leads into the mirror, every other one where it leads already."""
    target = os.path.normpath(os.path.join(os.path.dirname(link), os.readlink(link)))
    inside = target == str(root) or target.startswith(f"{root}{os.sep}")
    os.symlink(os.path.join(mirror, os.path.relpath(target, root)) if inside else target, place)


def replace_file(mirror: Path, path: Path, text: str) -> None:
    """Write `text` as the file `path` of the mirror."""
    place = Path(os.path.normpath(mirror / path))
    if not place.is_relative_to(mirror):
        raise MigrateError(f"{path} is not in the folder that is mirrored")
    place.parent.mkdir(parents=True, exist_ok=True)
    place.unlink(missing_ok=True)
    place.write_text(text, encoding="utf-8")


def give_files(mirror: Path, given: Mapping[str, bytes]) -> None:
    """Write files into the mirror, by their path in it."""
    for path, content in given.items():
        place = mirror / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.unlink(missing_ok=True)
        place.write_bytes(content)


def read_files(folder: Path) -> dict[str, bytes]:
    """The files below a folder, by their path in it."""
    places = sorted(path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in places}
