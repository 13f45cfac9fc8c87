"""The files of a program: where its definitions are kept, how they are imported, and what a name is there."""

from __future__ import annotations

import re
from collections.abc import Mapping
from textwrap import dedent, indent

from tests.generate.library import DEFINITIONS, IMPORTS

MODULES = ("settings", "shared", "utils", "data", "models", "engine")
"""The modules that a program may have besides `train`, each after those that it may import."""
_USE = re.compile(r"@([A-Za-z_]\w*)")


def put(text: str, name: str, inside: str) -> str:
    """The text with `<name>` replaced, each further line of what is put in as deep as the first."""
    pattern = re.compile(rf"(?m)^([ \t]*)(.*?)<{name}>")
    while (found := pattern.search(text)) is not None:
        margin = found[1] if not found[2].strip() else ""
        deeper = inside.replace("\n", "\n" + margin)
        text = text[: found.start()] + found[1] + found[2] + deeper + text[found.end() :]
    return text


class Files:
    """The modules of a program in the making."""

    def __init__(self, layout: str, definitions: Mapping[str, tuple[str, str]]) -> None:
        self.layout = layout
        self.definitions = {**DEFINITIONS, **definitions}
        self.bodies: dict[str, dict[str, str]] = {"train": {}}
        self.imports: dict[str, dict[str, None]] = {"train": {}}

    def owner(self, name: str) -> str:
        """The module that a definition is in."""
        return "train" if self.layout == "one_file" else self.definitions[name][0]

    def define(self, name: str, module: str, text: str) -> None:
        """Add a definition of the program's own."""
        self.definitions[name] = (module, text)

    def resolve(self, text: str, at: str) -> str:
        """The text with each `@name` as it is called in that module."""
        return _USE.sub(lambda found: self.use(found[1], at) if found[1] in self.definitions else found[0], text)

    def use(self, name: str, at: str) -> str:
        """How `at` calls a definition; it is taken along and imported."""
        owner = self.owner(name)
        body = self.bodies.setdefault(owner, {})
        self.imports.setdefault(owner, {})
        if name not in body:
            body[name] = ""
            text = self.resolve(dedent(self.definitions[name][1]).strip(), owner)
            del body[name]  # what it uses comes first
            body[name] = text
        return name if owner == at else self.imported(owner, name, at)

    def imported(self, owner: str, name: str, at: str) -> str:
        """Import a definition in `at`, as the layout does."""
        inside = at != "train"
        line, called = {
            "flat": (f"from {owner} import {name}", name),
            "module": (f"import {owner}", f"{owner}.{name}"),
            "package": (f"from project.{owner} import {name}", name),
            "package_init": (f"from .{owner} import {name}" if inside else f"from project import {name}", name),
            "star": (f"from {owner} import *", name),
            "sys_path": (f"from {owner} import {name}", name),
        }[self.layout]
        self.imports.setdefault(at, {})[line] = None
        return called

    def share(self, name: str, at: str) -> str:
        """How `at` calls a variable of the module `shared`, which is bound from outside."""
        body = self.bodies.setdefault("shared", {})
        self.imports.setdefault("shared", {})
        body[name] = f"{name} = None"
        of_package = {"package": "from project import shared"}
        of_package["package_init"] = "from . import shared" if at != "train" else "from project import shared"
        self.imports.setdefault(at, {})[of_package.get(self.layout, "import shared")] = None
        return f"shared.{name}"

    def write(self, main: str) -> dict[str, str]:
        """The text of each file; `main` is what `train.py` does after its definitions."""
        texts = {module: self.text(module, main if module == "train" else "") for module in self.bodies}
        folder = {"package": "project/", "package_init": "project/", "sys_path": "lib/"}.get(self.layout, "")
        found = {("train.py" if module == "train" else f"{folder}{module}.py"): text for module, text in texts.items()}
        if self.layout == "package_init":
            kept = [module for module in MODULES if module in self.bodies and module != "shared"]
            lines = [f"from .{module} import {name}" for module in kept for name in self.bodies[module]]
            found["project/__init__.py"] = "\n".join(lines) + "\n"
        elif self.layout == "package" and len(texts) > 1:
            found["project/__init__.py"] = ""
        return found

    def text(self, module: str, main: str) -> str:
        """One module: imports, definitions, what it does."""
        parts = list(self.bodies[module].values())
        code = re.sub(r"(?m)^([A-Z_]+ = .*)\n\n\n(?=[A-Z_]+ = )", r"\1\n", "\n\n\n".join([*parts, main]).rstrip())
        code = re.sub(r"\n{3,}(?=[ \t])", "\n\n", code)
        used = {name: line for name, line in IMPORTS.items() if re.search(rf"(?<![\w.]){name}\b", code)}
        plain = sorted((line for line in used.values()), key=lambda line: (line.startswith("from"), line))
        own = list(self.imports[module])
        if own and self.layout == "sys_path" and module == "train":
            plain = sorted({*plain, "import os", "import sys"}, key=lambda line: (line.startswith("from"), line))
            own.insert(0, 'sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib"))\n')
        header = "\n".join(plain) + ("\n\n" if plain and own else "") + "\n".join(own)
        return (header + "\n\n\n" if header else "") + code + "\n"


def block(head: str, *bodies: str) -> str:
    """A compound statement; without a body it passes."""
    body = "\n".join(filter(None, bodies)) or "pass"
    return head + "\n" + indent(body, "    ")
