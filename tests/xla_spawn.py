"""Starts scripts as the Training Compiler's launcher does, without torch: a program, `python -m tests.xla_spawn`.

The container runs `python -m torch_xla.distributed.xla_spawn --num_gpus N train.py`: that imports `train` by its name
while `sys.argv` is still the launcher's, gives the script its own `sys.argv`, and calls `_mp_fn(index)` in N processes.
Here libraries that are not installed are stand-ins, which write down what is called. The body of a training loop can't
run on them; whether it is reached at all is what shows.
"""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import json
import os
import signal
import sys
import tempfile
import types
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

GPUS = 2
SECONDS = 20
"""A script that is not done then has been reached."""
CALLS: list[str] = []
"""The dotted names of what was called of the stand-ins."""


@dataclass
class Launched:
    """What came of one launch."""

    imported: list[str] = field(default_factory=list)
    """What was called of libraries that are not installed, while the script was imported."""
    called: list[str] = field(default_factory=list)
    """What was called of them by `_mp_fn`."""
    refused: str = ""
    """Why the script could not be started."""
    missing: str = ""
    """A name of the script's own that `_mp_fn` did not find."""


class _Kind(type):
    """A class of a library that is not here: any attribute is there."""

    def __getattr__(cls, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return _made(f"{cls.__dict__.get('path', cls.__name__)}.{name}")

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        CALLS.append(cls.__dict__.get("path", ""))
        return super().__call__(*args, **kwargs)


class _Thing(metaclass=_Kind):
    """An object of a library that is not here. It can be called, entered, read from, and inherited from."""

    path = ""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        pass

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return _made(f"{type(self).path}.{name}")

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        # As a decorator it leaves what it decorates as it is.
        return args[0] if len(args) == 1 and isinstance(args[0], types.FunctionType | type) else self

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *raised: Any) -> None:
        return None

    def __iter__(self) -> Any:
        return iter([(self, self)])

    def __len__(self) -> int:
        return 2

    def __getitem__(self, key: Any) -> Any:
        return self

    def __setitem__(self, key: Any, value: Any) -> None:
        pass

    def __bool__(self) -> bool:
        return True

    def __int__(self) -> int:
        return 1

    def __float__(self) -> float:
        return 1.0

    def __index__(self) -> int:
        return 1

    def __hash__(self) -> int:
        return id(self)

    def _operated(self, *others: Any) -> Any:
        return self

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = _operated
    __floordiv__ = __rfloordiv__ = __mod__ = __pow__ = __neg__ = __matmul__ = __iadd__ = _operated

    def __eq__(self, other: object) -> bool:
        return self is other

    def __lt__(self, other: object) -> bool:
        return False

    __gt__ = __le__ = __ge__ = __lt__


def _made(path: str) -> Any:
    return _Kind(path.rpartition(".")[2], (_Thing,), {"path": path})


class _Library(types.ModuleType):
    """A module of a library that is not here."""

    __path__: list[str] = []

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return _made(f"{self.__name__}.{name}")


class _Libraries(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds what nothing else has found."""

    def find_spec(self, name: str, path: Any, target: Any = None) -> importlib.machinery.ModuleSpec:
        return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> types.ModuleType:
        return _Library(spec.name)

    def exec_module(self, module: types.ModuleType) -> None:
        pass


def launch(script: Path, arguments: Sequence[str] = ()) -> Launched:
    """Start a script in this process, which is of no use for anything else afterwards."""
    seen = Launched()
    sys.meta_path.append(_Libraries())
    sys.path.insert(0, str(script.parent))
    sys.argv = ["xla_spawn.py", "--num_gpus", str(GPUS), script.name, *arguments]
    os.chdir(script.parent)
    try:
        module = importlib.import_module(script.stem)
        function = module._mp_fn
    except BaseException as error:
        seen.refused = f"imported: {type(error).__name__}: {error}"
        return seen
    seen.imported = list(CALLS)
    CALLS.clear()
    sys.argv = [script.name, *arguments]
    signal.signal(signal.SIGALRM, _late)
    signal.alarm(SECONDS)
    try:
        function(0)
    except NameError as error:
        seen.missing = str(error)
    except SystemExit as error:
        seen.refused = f"called: SystemExit: {error}"
    except TypeError as error:
        if "_mp_fn()" in str(error):
            seen.refused = f"called: {error}"
    except BaseException:
        pass  # what the script makes of stand-ins
    seen.called = list(CALLS)
    return seen


def _late(*ignored: object) -> None:
    raise TimeoutError


def main() -> None:
    """Launch each script that stdin names, `{"name": {"train.py": "text", ...}, ...}`, in a process of its own.

    The first file is the script, the others stand beside it. What came of each is written to stdout.
    """
    asked = json.load(sys.stdin)
    answers: dict[str, dict[str, Any]] = {}
    for name, files in asked.items():
        with tempfile.TemporaryDirectory() as folder:
            for path, text in files.items():
                place = Path(folder) / path
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_text(text, encoding="utf-8")
            answers[name] = _forked(Path(folder) / next(iter(files)))
    json.dump(answers, sys.stdout)


def _forked(script: Path) -> dict[str, Any]:
    """A launch in a child process: what it imports and breaks ends with it."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        nothing = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(nothing, stream)
        os.write(writing, json.dumps(asdict(launch(script))).encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as answer:
        text = answer.read()
    os.waitpid(child, 0)
    return dict(json.loads(text)) if text else asdict(Launched(refused="the process ended"))


if __name__ == "__main__":
    main()
