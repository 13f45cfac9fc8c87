"""Where a program keeps its things, and so what each is called at a place."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from textwrap import indent

from tests.generate.files import Files, put
from tests.generate.fragments import TRAINING
from tests.generate.grammar import Vector
from tests.generate.library import CONFIG

ENTITIES = (
    "config", "rank", "device", "dataset", "loader", "valid", "model", "criterion", "optimizer", "scheduler", "scaler",
    "average",
)  # fmt: skip
"""What a program keeps, in the order in which it is made."""
_MARK = re.compile(r"<([a-z_]+)(?:\.([a-z_]+))?>")
_PRINT = re.compile(r"(?m)^([ \t]*)<print>(.*)$")
_KEYS = {"dict": "{}", "yaml": "{}"}
_CONTAINERS = {"attribute": "state", "item": "parts", "index": "things"}


@dataclass(frozen=True)
class Scope:
    """A place in a program."""

    vector: Vector
    files: Files
    at: str = "train"
    """The module."""
    prefix: str = ""
    """What comes before variables: "self." in a method."""
    loose: bool = False
    """Whether things are plain variables as yet, to be put into their containers later."""

    def within(self, at: str, prefix: str = "", loose: bool = False) -> Scope:
        """Another place."""
        return replace(self, at=at, prefix=prefix, loose=loose)

    def storage(self, entity: str) -> str:
        """How an entity is kept."""
        return self.vector.get(f"storage_{entity}", "variable")

    def root(self, entity: str) -> str:
        """The variable that an entity is reached by; empty where it needs none."""
        if entity == "config":
            return {"constants": "", "instance": "", "namespace": "args"}.get(self.vector["config"], "config")
        if entity == "loader" and self.vector["loader"] in ("phases", "items"):
            return "loaders"
        storage = self.storage(entity)
        if storage in ("shared", "global", "constant"):
            return ""
        return entity if storage == "variable" else _CONTAINERS[storage]

    def roots(self, *texts: str) -> list[str]:
        """The variables that these texts need."""
        used = {name for text in texts for name in self.entities(text)}
        found = [self.root(entity) for entity in ENTITIES if entity in used]
        return list(dict.fromkeys(filter(None, found)))

    def entities(self, text: str) -> set[str]:
        """The entities that a text uses."""
        return {found[1] for found in _MARK.finditer(self.expand(text)) if found[1] in ENTITIES}

    def name(self, entity: str) -> str:
        """What an entity is called here."""
        storage = self.storage(entity)
        if storage == "constant":
            return self.files.use("DEVICE", self.at)
        if storage == "global":
            return entity
        if self.loose:
            return self.root(entity) if storage == "variable" and self.root(entity) != "loaders" else entity
        if storage == "shared":
            return self.files.share(entity, self.at)
        root = self.prefix + self.root(entity)
        if root.endswith("loaders"):
            return f'{root}["train"]'
        kinds = {"attribute": f"{root}.{entity}", "item": f'{root}["{entity}"]', "index": f"{root}[{INDEX[entity]}]"}
        return kinds.get(storage, root)

    def setting(self, name: str) -> str:
        """How a setting is read here."""
        kind = self.vector["config"]
        root = self.prefix + self.root("config")
        if kind == "constants":
            return self.files.use(constant(name), self.at)
        if kind == "instance":
            return f"{self.files.use('OPTIONS', self.at)}.{name}"
        return f'{root}["{name}"]' if kind in ("dict", "yaml") else f"{root}.{name}"

    def expand(self, text: str) -> str:
        """The text with the marks replaced that stand for others."""
        vector = self.vector
        bare = vector["device"] == "none"
        raw = "<model>" if vector["wrapper"] == "none" else TRAINING["unwrap"][vector["unwrap"]]
        place = '"cuda:" + str(<device>)' if vector["device"] == "index" else "<device>"
        loaders = "loaders" if self.loose else f"{self.prefix}loaders"
        for name, inside in (
            ("to", ".cuda()" if bare else ".to(<device>)"),
            ("device_argument", "" if bare else ", <device>"),
            ("map_location", '"cuda"' if bare else place),
            ("raw", raw),
            ("unwrapped", raw),
            ("loader_root", loaders),
        ):
            text = text.replace(f"<{name}>", inside)
        if vector["criterion"] == "functional":
            text = text.replace("<criterion>", "F.cross_entropy")
        return _PRINT.sub(lambda found: indent(self.guarded(f"print{found[2]}"), found[1]), text)

    def guarded(self, text: str) -> str:
        """What one rank alone does."""
        if not self.vector["wrapper"].startswith("ddp"):
            return text
        return TRAINING["guard"][self.vector["guard"]] + "\n" + indent(text, "    ")

    def resolve(self, text: str) -> str:
        """The code of a text at this place."""
        text = self.expand(text)

        def named(found: re.Match[str]) -> str:
            if found[1] == "config" and found[2]:
                return self.setting(found[2])
            return self.name(found[1]) if found[1] in ENTITIES else found[0]

        return self.files.resolve(_MARK.sub(named, text), self.at)


def constant(setting: str) -> str:
    """The name of the constant that a setting is."""
    return "DEVICE_NAME" if setting == "device" else setting.upper()


INDEX = {entity: number for number, entity in enumerate(ENTITIES)}
"""The place of an entity in a list."""


def container(kind: str, storage: str, given: dict[str, str]) -> str:
    """The expression of a new container with what is given, or empty."""
    if storage == "index":
        held = {INDEX[name]: value for name, value in given.items()}
        return f"[{', '.join(held.get(number, 'None') for number in range(len(ENTITIES)))}]"
    pairs = ", ".join(f"{name}={value}" for name, value in given.items())
    literal = "{" + ", ".join(f'"{name}": {value}' for name, value in given.items()) + "}"
    if storage == "item":
        keyed = {"plain": literal, "declared": literal, "dataclass": f"dict({pairs})", "munch": f"@Munch({pairs})"}
        return keyed[kind]
    return {"plain": f"SimpleNamespace({pairs})", "declared": f"@State({pairs})", "dataclass": f"@Parts({pairs})",
            "munch": f"@Munch({pairs})"}[kind]  # fmt: skip


def definitions(vector: Vector) -> dict[str, tuple[str, str]]:
    """The definitions whose text depends on the vector's containers and settings."""
    held = [name for name in ENTITIES if vector.get(f"storage_{name}") == "attribute"]
    parameters = ", ".join(f"{name}=None" for name in held)
    kept = "\n".join(f"        self.{name} = {name}" for name in held)
    fields = "\n".join(f"    {name}: object = None" for name in held)
    pairs = ", ".join(f"{name}={value}" for name, value in CONFIG.items())
    lines = "\\n".join(f"{name}: {value}" for name, value in CONFIG.items())
    return {
        "State": ("utils", f"class State:\n    def __init__(self, {parameters}):\n{kept}"),
        "Parts": ("utils", f"@dataclass\nclass Parts:\n{fields}"),
        "OPTIONS": ("settings", f"OPTIONS = SimpleNamespace({pairs})"),
        "SETTINGS": ("settings", f"SETTINGS = '{lines}'"),
        "Config": (
            "settings",
            "@dataclass\nclass Config:\n"
            + "\n".join(f"    {name}: object = {value}" for name, value in CONFIG.items()),
        ),
        **{constant(name): ("settings", f"{constant(name)} = {value}") for name, value in CONFIG.items()},
    }


def settings(kind: str) -> str:
    """The statement that makes the settings; empty where they are in a module."""
    pairs = ", ".join(f"{name}={value}" for name, value in CONFIG.items())
    literal = ", ".join(f'"{name}": {value}' for name, value in CONFIG.items())
    switches = {"True"}
    arguments = "".join(
        f'parser.add_argument("--{name}", ' + ("action=argparse.BooleanOptionalAction, " if value in switches else
        ("" if value.startswith('"') else f"type={type(eval(value)).__name__}, ")) + f"default={value})\n"
        for name, value in CONFIG.items()
    )  # fmt: skip
    return {
        "constants": "",
        "instance": "",
        "namespace": f"parser = argparse.ArgumentParser()\n{arguments}args = parser.parse_args()",
        "dict": f"config = {{{literal}}}",
        "dataclass": "config = @Config()",
        "munch": f"config = @Munch({pairs})",
        "yaml": "config = @read_settings(@SETTINGS)",
    }[kind]


__all__ = ["ENTITIES", "Scope", "container", "definitions", "put", "settings"]
