"""The training scripts that a SageMaker launcher names, read from its text: finding them must not cost a parser."""

from __future__ import annotations

import re
from posixpath import normpath

_STARTED = re.compile(
    r"""\b(?:entry_point|entry_script|training_script|source_dir|code)["']?\s*[=:]\s*["'](?P<path>[^"'\n]*)["']"""
)
_QUOTED = re.compile(r"""["'](?P<path>[\w./-]+\.py)["']""")
_FOLDER = re.compile(r"""(?:\bPath\(|\bpath\.join\()(?:[^()"'\n]*,)?\s*["'](?P<path>[\w./-]+)["']""")
"""The parts of a path that is put together, `os.path.join(here, "code", "train.py")`."""
_NAMES = re.compile("entry_point|entry_script|sagemaker_program|code")
_CONSOLE = re.compile(r"""[\w.-][ \t]*=[ \t]*(?P<module>[A-Za-z_][\w.]*)[ \t]*:[ \t]*(?P<function>[A-Za-z_][\w.]*)""")

SETUP = "setup.py"
"""What makes the folder of a script a package to SageMaker."""


def started_names(text: str) -> list[str]:
    """The scripts that a SageMaker launcher may name, `entry_point="train.py"`, in each `source_dir` of the
    file and without one, and the setup.py that such a folder may have; or the modules that a setup.py makes console
    scripts of. As dotted names."""
    if "console_scripts" in text:
        return [module for module, _ in consoles(text)]
    if "sagemaker" not in text or not _NAMES.search(text):
        return []
    found = (match["path"] for kind in (_STARTED, _QUOTED, _FOLDER) for match in kind.finditer(text))
    paths = dict.fromkeys(found)
    scripts = [path for path in paths if path.endswith(".py")]
    folders = [path for path in paths if not path.endswith(".py") and ":" not in path]
    files = [f"{folder}/{script}" for script in scripts for folder in ("", *folders)]
    files += [f"{folder}/{SETUP}" for folder in folders if scripts]
    return [_dotted(normpath(file.lstrip("/"))) for file in files]


def consoles(text: str) -> list[tuple[str, str]]:
    """The functions that the console scripts of a setup.py call, `"train = package.train:main"`, each a module and a
    name in it."""
    found = _CONSOLE.findall(text) if "console_scripts" in text else ()
    return list(dict.fromkeys(found))


def _dotted(path: str) -> str:
    """`..code.train` for `../code/train.py`: up from the folder of the file, as a relative import goes."""
    parts = path.removesuffix(".py").split("/")
    above = parts.count("..")
    return "." * (above + 1 if above else 0) + ".".join(parts[above:])
