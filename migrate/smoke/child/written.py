"""Tells which files a script wrote, and what is in them: a checkpoint's keys and values, the text of a log.

They are looked for when the script's steps are done, on the first rank: whatever in the run's folders is newer than
the process. So it does not matter which function wrote a file, or whether it was renamed afterwards.
"""

from __future__ import annotations

import functools
import numbers
import os
import shutil
import stat
import time
import zipfile
from collections.abc import Iterator, Mapping
from typing import Any

from . import parameters

TEXTS = (".csv", ".tsv", ".json", ".jsonl", ".txt", ".log", ".yaml", ".yml", ".md")
CHECKPOINTS = (".pt", ".pth", ".bin", ".ckpt", ".tar", ".pkl", ".pickle", ".model", "")
LARGEST = 256 << 20
KEPT = 64 << 20
LONGEST = 200_000
"""Characters of a text."""
MOST = 20
"""Files whose contents are told, the newest."""
DEEPEST = 6
began = 0.0
"""When this process began, by the clock of the file system."""
loaded: dict[str, None] = {}
"""Files of the script's folder that it loaded, in order."""
load: Any = None
"""`torch.load` as it was."""


def begin() -> None:
    """What is written from now on is the script's. A file system's clock may be a tick behind."""
    global began
    began = time.time() - 0.01


def install(torch: Any, order: dict[str, Any]) -> None:
    """Keep what loads a file again; note what the script loads, and keep the first version of what it saves."""
    global load
    load = torch.load
    save = torch.save

    @functools.wraps(load)
    def load_and_note(f: Any, *arguments: Any, **options: Any) -> Any:
        path = inside(f, order["root"])
        if path:
            loaded.setdefault(path)
        return load(f, *arguments, **options)

    @functools.wraps(save)
    def save_and_keep(obj: Any, f: Any, *arguments: Any, **options: Any) -> Any:
        result = save(obj, f, *arguments, **options)
        path = inside(f, order["root"])
        place = os.path.join(order["results"], "kept", path)
        if path and not os.path.exists(place) and os.path.getsize(f) <= KEPT:
            os.makedirs(os.path.dirname(place), exist_ok=True)
            shutil.copyfile(f, place)
        return result

    torch.load, torch.save = load_and_note, save_and_keep


def inside(path: Any, root: str) -> str:
    """A path in the script's folder; empty for any other, and for what is no path."""
    if not isinstance(path, (str, os.PathLike)):
        return ""
    own = os.path.relpath(os.path.realpath(path), os.path.realpath(root))
    return "" if own.startswith("..") else own


def summarise(torch: Any, order: dict[str, Any]) -> list[dict[str, Any]]:
    """Each file that the script wrote, in the order of their names."""
    run = os.path.dirname(order["mirror"])
    places = [("", order["root"])] + [(f"{name}/", os.path.join(run, name)) for name in ("model", "tmp", "home")]
    found = [(label, folder, path) for label, folder in places for path in new_files(folder)]
    newest = sorted(found, key=lambda item: -os.stat(item[2]).st_mtime)[:MOST]
    told = []
    for item in sorted(found):
        label, folder, path = item
        # Folders that tempfile makes have names by chance.
        name = os.path.basename(path) if label == "tmp/" else os.path.relpath(path, folder)
        told.append({"path": label + name, **(describe_file(torch, path) if item in newest else {})})
    return told


def new_files(folder: str) -> Iterator[str]:
    """Files that are newer than this process; links are not the script's."""
    for above, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if name not in ("__pycache__", ".cache", "torchelastic")]
        for name in names:
            path = os.path.join(above, name)
            try:
                about = os.lstat(path)
                if stat.S_ISREG(about.st_mode) and about.st_mtime >= began and not name.endswith(".py"):
                    yield path
            except OSError:
                continue


def describe_file(torch: Any, path: str) -> dict[str, Any]:
    """What is in a file, as far as it can be told."""
    ending = os.path.splitext(path)[1].lower()
    try:
        if os.path.getsize(path) > LARGEST:
            return {}
        if ending in TEXTS:
            with open(path, encoding="utf-8") as file:
                return {"text": file.read(LONGEST)}
        if ending in CHECKPOINTS and is_checkpoint(path):
            return {"values": list(describe_checkpoint(torch, path)), "bound": is_bound(path)}
    except Exception as error:  # of whatever the script has written
        return {"unread": f"{type(error).__name__}: {error}"[:200]}
    return {}


def is_checkpoint(path: str) -> bool:
    """Whether `torch.save` wrote this."""
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            return any(name.endswith("/data.pkl") for name in archive.namelist())
    with open(path, "rb") as file:
        return file.read(2) == b"\x80\x02" and b"l\xfc\x9cF\xf9" in file.read(64)


def is_bound(path: str) -> bool:
    """Whether it holds tensors of an XLA device, so that it loads only where there is one."""
    if not zipfile.is_zipfile(path):
        return False
    with zipfile.ZipFile(path) as archive:
        pickled = (archive.read(name) for name in archive.namelist() if name.endswith("/data.pkl"))
        return any(b"xla:" in text and b"_rebuild_device_tensor" in text for text in pickled)


def describe_checkpoint(torch: Any, path: str) -> Iterator[dict[str, Any]]:
    """Every value in a checkpoint by its path: "model.fc.weight"."""
    try:
        kept = load(path, map_location="cpu", weights_only=False)
    except TypeError:  # an older torch
        kept = load(path, map_location="cpu")
    yield from describe_value(torch, kept, "", 0)


def describe_value(torch: Any, value: Any, name: str, depth: int) -> Iterator[dict[str, Any]]:
    """The tensors, numbers and words in a value."""
    if isinstance(value, torch.Tensor):
        yield parameters.describe(value, name)
    elif isinstance(value, torch.nn.Module):
        yield from describe_value(torch, value.state_dict(), name, depth)
    elif isinstance(value, Mapping) and depth < DEEPEST:
        for key, item in value.items():
            yield from describe_value(torch, item, f"{name}.{key}".lstrip("."), depth + 1)
    elif isinstance(value, (list, tuple)) and depth < DEEPEST:
        for index, item in enumerate(value):
            yield from describe_value(torch, item, f"{name}.{index}".lstrip("."), depth + 1)
    elif isinstance(value, numbers.Real):
        yield parameters.describe(torch.tensor([float(value)], dtype=torch.float64), name)
    else:
        yield {"name": name, "shape": [], "norm": 0.0, "elements": [], "dtype": type(value).__name__}
