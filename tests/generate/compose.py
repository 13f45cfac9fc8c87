"""A vector of choices becomes the files of a program: `compose`."""

from __future__ import annotations

from textwrap import indent

from tests.generate import training
from tests.generate.files import Files, block, put
from tests.generate.fragments import SETUP
from tests.generate.grammar import Vector
from tests.generate.scope import Scope, definitions, settings
from tests.generate.setting_up import present, setup

_DECORATORS = {"decorated": "@torch.no_grad()\n", "inference": "@torch.inference_mode()\n"}
_FUNCTIONS = ("functions", "closure", "globals")


def compose(vector: Vector) -> dict[str, str]:
    """The files of the program, by path; `train.py` is the one to run."""
    files = Files(vector["layout"], definitions(vector))
    organisation = vector["organisation"]
    scope = Scope(vector, files)
    _carry_device(scope)
    if organisation.startswith("trainer"):
        main = _trainer(scope)
    elif organisation in ("script", "globals"):
        main = scope.resolve("\n".join([settings(vector["config"]), _setup(scope), *_train(scope)]))
    else:
        main = _main(scope, "\n".join(["<setup>", *_train(scope)]))
    return files.write(main)


def _carry_device(scope: Scope) -> None:
    """Finish the definitions that are handed a device."""
    bare = scope.vector["device"] == "none"
    scope.files.define("DEVICE", "settings", f"DEVICE = {SETUP['device'][scope.vector['device']]}")
    pieces = {
        "device_parameter": "" if bare else ", device",
        "device_passed": "" if bare else ", device",
        "local_to": ".cuda()" if bare else ".to(device)",
        "self_device_to": ".cuda()" if bare else ".to(self.device)",
        "keep_device": "" if bare else "self.device = device",
        "unpack": training.fragment(scope, "batch"),
    }
    for name in ("place", "to_device", "moved", "DeviceLoader"):
        module, text = scope.files.definitions[name]
        for piece, inside in pieces.items():
            text = put(text, piece, inside)
        scope.files.define(name, module, text)


def _setup(scope: Scope) -> str:
    """The set-up; with the variables that the whole file knows declared where that is needed."""
    return setup(scope.within(scope.at, scope.prefix, loose=scope.vector["filled"] != "assigned"))


def _main(scope: Scope, body: str) -> str:
    """A function main, its start, and whatever is global in it."""
    vector = scope.vector
    shared = [name for name in present(scope) if scope.storage(name) == "global"]
    declared = f"global {', '.join(shared)}\n" if shared else ""
    made = _setup(scope) if vector["filled"] != "returned" else _built(scope)
    body = scope.resolve(body.replace("<setup>", made))
    spawned = vector["wrapper"] == "ddp_spawn"
    config = scope.root("config")
    given = ["index"] * spawned + ([config] if config else [])
    start = settings(vector["config"])
    call = f"mp.spawn(main, args=({config + ',' if config else ''}), nprocs=torch.cuda.device_count())"
    start += "\n" + (call if spawned else f"main({config})")
    function = block(f"def main({', '.join(given)}):", declared + body)
    return function + "\n\n\n" + scope.resolve(block('if __name__ == "__main__":', start.strip("\n")))


def _built(scope: Scope) -> str:
    """The set-up in a function of another file, which returns what it made."""
    inner = scope.within("engine" if scope.vector["layout"] != "one_file" else "train")
    roots = scope.roots(*(f"<{name}>" for name in present(scope)))
    given = ["index"] * (scope.vector["wrapper"] == "ddp_spawn") + scope.roots("<config>")
    body = setup(inner.within(inner.at, loose=True))
    text = block(f"def build({', '.join(given)}):", body, f"return {', '.join(roots)}")
    scope.files.define("build", "engine", text)
    return f"{', '.join(roots)} = @build({', '.join(given)})"


def _train(scope: Scope) -> list[str]:
    """The functions where they are needed, the epochs and the ending, unresolved."""
    vector = scope.vector
    nested: list[str] = []

    def call(name: str, body: str, given: str) -> str:
        function, called = _function(scope, name, body, given)
        if function and function not in nested:
            nested.append(function)
        return called

    passing = call if vector["organisation"] in _FUNCTIONS else training.inline
    text = "\n".join([training.epochs(scope, passing), training.ending(scope)])
    if "<evaluate>" in text:
        text = text.replace("<evaluate>", call("evaluate", training.evaluation(scope), ""))
    if "<save>" in text:
        given = "epoch" if vector["save"] == "every" else ""
        text = put(text, "save", call("save_checkpoint", _saving(scope), given))
    return [*(f"{function}\n" for function in nested), text]


def _saving(scope: Scope) -> str:
    text = training.fragment(scope, "save")
    if scope.vector["guard"] == "early":
        text = block("if <rank> != 0:", "return") + "\n" + text
    return text


def _decorator(scope: Scope, name: str) -> str:
    if name == "evaluate":
        return _DECORATORS.get(scope.vector["evaluation"], "")
    guarded = scope.vector["guard"] == "decorator" and name == "save_checkpoint"
    return "@@main_only\n" if guarded else ""


def _function(scope: Scope, name: str, body: str, given: str) -> tuple[str, str]:
    """A function, where it has to stand before its call, and the call."""
    vector = scope.vector
    organisation = vector["organisation"]
    extra = [given] if given else []
    decorator = _decorator(scope, name)
    if organisation in ("closure", "globals", "script"):
        return decorator + block(f"def {name}({', '.join(extra)}):", body), f"{name}({', '.join(extra)})"
    inner = scope.within("engine" if vector["layout"] != "one_file" and organisation == "functions" else "train")
    parameters = ", ".join([*scope.roots(body), *extra])
    text = inner.resolve(decorator + block(f"def {name}({parameters}):", body))
    scope.files.define(name, inner.at, text)
    return "", f"@{name}({parameters})"


def _trainer(scope: Scope) -> str:
    """A class that trains, with what it makes or what it is given."""
    vector = scope.vector
    at = "engine" if vector["layout"] != "one_file" else "train"
    inside = scope.within(at, "self.")
    given = vector["organisation"] == "trainer_given"
    methods: dict[str, str] = {}

    def call(name: str, body: str, extra: str) -> str:
        methods[name] = _decorator(scope, name) + block(f"def {name}(self{', ' + extra if extra else ''}):", body)
        return f"self.{name}({extra})"

    run = "\n".join([training.epochs(inside, call), training.ending(inside)])
    if "<evaluate>" in run:
        run = run.replace("<evaluate>", call("evaluate", training.evaluation(inside), ""))
    if "<save>" in run:
        run = put(run, "save", call("save_checkpoint", _saving(inside), "epoch" if vector["save"] == "every" else ""))
    roots = scope.roots("<config>", *(f"<{name}>" for name in present(scope)))
    kept = "\n".join(f"self.{root} = {root}" for root in (roots if given else scope.roots("<config>")))
    if given:
        begin = block(f"def __init__(self, {', '.join(roots)}):", kept)
    else:
        begin = block(f"def __init__(self{''.join(', ' + root for root in scope.roots('<config>'))}):", kept,
                      _own_setup(inside, roots))  # fmt: skip
    parts = [begin, *methods.values(), block("def run(self):", run)]
    scope.files.define("Trainer", "engine", inside.resolve("class Trainer:\n" + indent("\n\n".join(parts), "    ")))
    if given:
        return _main(scope, f"<setup>\ntrainer = @Trainer({', '.join(roots)})\ntrainer.run()")
    start = f"{settings(vector['config'])}\n@Trainer({scope.root('config')}).run()"
    return scope.resolve(block('if __name__ == "__main__":', start.strip("\n")))


def _own_setup(inside: Scope, roots: list[str]) -> str:
    """The set-up of a class that makes its things itself: as attributes at once, or as variables that it keeps."""
    if inside.vector["filled"] == "assigned":
        return setup(inside)
    made = setup(inside.within(inside.at, loose=True))
    own = [root for root in roots if root not in inside.roots("<config>")]
    return "\n".join([made, *(f"self.{root} = {root}" for root in own)])
