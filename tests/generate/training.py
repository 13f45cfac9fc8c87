"""What a program does to train: one step, one pass over the batches, the epochs, and what comes after them."""

from __future__ import annotations

import re
from collections.abc import Callable

from tests.generate.files import block, put
from tests.generate.fragments import SETUP, TRAINING
from tests.generate.scope import Scope
from tests.generate.setting_up import loader_call

Call = Callable[[str, str, str], str]
"""Calls a function of the program, given its name, its body and what it takes besides the program's things."""


def fragment(scope: Scope, dimension: str, where: str = "") -> str:
    """The piece of code that the vector chose."""
    return TRAINING[f"{dimension} {where}".strip()].get(scope.vector[dimension], "")


def _forward(scope: Scope) -> str:
    """Forward and loss, in an autocast region."""
    at_use = scope.vector["move"] == "at_use"
    x, y = ("x<to>", "y<to>") if at_use else ("x", "y")
    lines = f"output = <model>({x})\nloss = <criterion>(output, {y})"
    return put(TRAINING["amp"][scope.vector["amp"]], "a", lines)


def _advance(scope: Scope) -> str:
    """Clip, step, and what follows a step."""
    vector = scope.vector
    scaled = vector["amp"] in SETUP["scaler"]
    reach = vector["reach"]
    if scaled:
        reach = "scaler function" if reach == "function" else "scaler"
    lines = ["<scaler>.unscale_(<optimizer>)" if scaled and vector["clip"] != "none" else "", fragment(scope, "clip")]
    lines.append(TRAINING["reach"][reach])
    if vector["zero"] in ("after", "by_hand") or vector["accumulation"] != "none":
        lines.append(fragment(scope, "zero"))
    lines.append(fragment(scope, "averaging"))
    if vector["scheduler"] in ("iteration", "onecycle"):
        lines.append("<scheduler>.step()")
    return "\n".join(filter(None, lines))


def step(scope: Scope) -> str:
    """What is done with one `batch`."""
    vector = scope.vector
    carried = vector["move"] in ("generator", "device_loader")
    lines = ["x, y = batch" if carried else fragment(scope, "batch"), fragment(scope, "move")]
    if vector["loop"] == "module_forward":
        at_use = vector["move"] == "at_use"
        lines.append("loss = learner(x<to>, y<to>)" if at_use else "loss = learner(x, y)")
        return "\n".join(filter(None, [*lines, fragment(scope, "logging")]))
    before = vector["zero"] in ("before", "set_to_none", "model") and vector["accumulation"] == "none"
    zero = fragment(scope, "zero") if before else ""
    if vector["reach"] == "closure":
        body = "\n".join([zero, _forward(scope), "loss.backward()\nreturn loss"])
        lines += [block("def closure():", body), "loss = <optimizer>.step(closure)"]
        lines.append(_advance(scope).replace("<optimizer>.step(closure)", "").strip("\n"))
        return "\n".join(filter(None, [*lines, fragment(scope, "logging")]))
    lines += [zero, _forward(scope)]
    backward = "<scaler>.scale(<a>).backward()" if vector["amp"] in SETUP["scaler"] else "<a>.backward()"
    accumulation = fragment(scope, "accumulation")
    if accumulation:
        whole = "loss" if "scaler" not in backward else "(loss / <config.every>)"
        lines.append(backward.replace("<a>", whole if "scaler" in backward else "(loss / <config.every>)"))
        lines.append(block(accumulation, _advance(scope)) if "count" not in accumulation else
                     accumulation + "\n" + block("", _advance(scope)).lstrip("\n"))  # fmt: skip
    else:
        lines += [backward.replace("<a>", "loss"), _advance(scope)]
    return "\n".join(filter(None, [*lines, fragment(scope, "logging")]))


def batches(scope: Scope) -> tuple[str, str, str]:
    """Statements before the loop, the expression of the batches, and the loader whose length they have."""
    kind = scope.vector["loader"]
    late = "loader = " + loader_call(scope, "<config.batch>", "<dataset>") if kind == "late" else ""
    plain = {"inline": loader_call(scope, "<config.batch>", "<dataset>"), "late": "loader"}.get(kind, "<loader>")
    if kind == "method":
        plain = "<loader>.batches()"
    given = {
        "generator": f"@moved({plain}<device_argument>)",
        "device_loader": f"@DeviceLoader({plain}<device_argument>)",
    }
    return late, given.get(scope.vector["move"], plain), plain


def before_loop(scope: Scope) -> str:
    """What comes before the first batch."""
    vector = scope.vector
    lines = ["<model>.train()"]
    if vector["zero"] in ("after", "by_hand") or vector["accumulation"] != "none":
        lines.append("<optimizer>.zero_grad()")
    if vector["accumulation"] == "counter":
        lines.append("count = 0")
    if vector["clip"] == "logged":
        lines.append("norms = []")
    if vector["reach"] == "bound" and vector["loop"] != "module_forward":
        lines.append("advance = <optimizer>.step")
    if vector["loop"] == "module_forward":
        lines.append(_learner(scope))
    return "\n".join(filter(None, [*lines, fragment(scope, "logging", "before")]))


def after_loop(scope: Scope) -> str:
    """What comes after the last batch."""
    norms = '<print>(f"norm {sum(norms) / len(norms):.4f}")' if scope.vector["clip"] == "logged" else ""
    result = "return total / seen" if scope.vector["logging"] == "returned" else ""
    return "\n".join(filter(None, [norms, fragment(scope, "logging", "after"), result]))


def _learner(scope: Scope) -> str:
    """A module whose forward trains."""
    clip = fragment(scope, "clip")
    text = scope.files.definitions["Learner"][1]
    lines = [fragment(scope, "zero"), "output = <model>(x)", "loss = <criterion>(output, y)", "loss.backward()"]
    lines += [clip, "<optimizer>.step()"]
    learn = "\n".join(filter(None, lines)).replace("<config.clip>", "self.limit")
    learn = re.sub("<(model|criterion|optimizer)>", r"self.\1", learn)
    text = put(text, "learn", learn).replace("<clip_parameter>", ", limit" if clip else "")
    scope.files.define("Learner", "engine", text.replace("<clip_kept>", "self.limit = limit" if clip else ""))
    return "learner = @Learner(<model>, <criterion>, <optimizer>" + (", <config.clip>)" if clip else ")")


def one_pass(scope: Scope) -> str:
    """A pass over the batches, or as many steps as are wanted."""
    late, given, plain = batches(scope)
    body, loop = step(scope), scope.vector["loop"]
    parts = [before_loop(scope), late]
    if loop == "steps":
        ending = "done += 1\n" + block("if done == <config.steps>:", "break")
        inner = block(f"for step, batch in enumerate({given}):", body, ending)
        parts += ["done = 0", block("while done < <config.steps>:", inner)]
    elif loop == "steps_next":
        again = "stream = iter(<a>)\nbatch = next(stream)".replace("<a>", given)
        take = block("try:", "batch = next(stream)") + "\n" + block("except StopIteration:", again)
        parts += [f"stream = iter({given})", block("for step in range(<config.steps>):", take, body)]
    else:
        parts.append(_iterate(scope.vector["iterate"], given, plain, body))
    return "\n".join(filter(None, [*parts, after_loop(scope)]))


def _iterate(kind: str, given: str, plain: str, body: str) -> str:
    if kind == "counter":
        return "step = 0\n" + block(f"for batch in {given}:", body, "step += 1")
    if kind == "next":
        return f"batches = iter({given})\n" + block(f"for step in range(len({plain})):", "batch = next(batches)", body)
    if kind == "cycle":
        return f"stream = @cycle({given})\n" + block(f"for step in range(len({plain})):", "batch = next(stream)", body)
    if kind == "zip":
        return block(f"for step, batch in zip(range(100), {given}):", body)
    if kind == "while_next":
        take = block("try:", "batch = next(batches)") + "\n" + block("except StopIteration:", "break")
        return f"batches, step = iter({given}), 0\n" + block("while True:", take, body, "step += 1")
    return block(f"for step, batch in enumerate({f'@Progress({given})' if kind == 'progress' else given}):", body)


def epoch(scope: Scope, call: Call) -> str:
    """One epoch: the pass, then learning rate, evaluation and saves."""
    vector = scope.vector
    lines = []
    if vector["wrapper"].startswith("ddp") and vector["loop"] != "hooks":
        lines.append("<loader>.sampler.set_epoch(epoch)")
    if vector["loop"] != "hooks":
        result = "mean = " if vector["logging"] == "returned" else ""
        lines.append(result + call("train_epoch", one_pass(scope), "epoch") if call is not inline else one_pass(scope))
        if result:
            lines.append('<print>(f"epoch {epoch} mean loss {mean:.4f}")')
    return "\n".join([*lines, *after_epoch(scope, call)])


def after_epoch(scope: Scope, call: Call) -> list[str]:
    """Evaluation, learning rate and saves of an epoch."""
    vector = scope.vector
    lines = []
    if vector["evaluation"] != "none":
        lines += ["score = <evaluate>", '<print>(f"epoch {epoch} score {score:.4f}")']
    if vector["scheduler"] in ("epoch", "factory"):
        lines.append("<scheduler>.step()")
    elif vector["scheduler"] == "plateau":
        lines.append("<scheduler>.step(score)")
    elif vector["scheduler"] == "by_hand":
        lines.append(block("for group in <optimizer>.param_groups:", 'group["lr"] = <config.lr> * 0.5**epoch'))
    if vector["evaluation"] in ("best", "best_loss"):
        saved = save(scope) if vector["save"] == "best_only" else ""
        lines.append(block("if score > best:", "best = score", saved))
    if vector["save"] == "every":
        lines.append(save(scope))
    return lines


def inline(name: str, body: str, given: str) -> str:
    """A function that is not one: its body stands where it would be called."""
    return body


def save(scope: Scope) -> str:
    """A save, by one rank."""
    text = fragment(scope, "save")
    if scope.vector["guard"] in ("early", "decorator") and scope.vector["wrapper"].startswith("ddp"):
        return "<save>"
    return scope.guarded(text)


def evaluation(scope: Scope) -> str:
    """The body of the function that evaluates, without its decorator."""
    vector = scope.vector
    value = "score -= <criterion>(output, y).item()" if vector["evaluation"] == "best_loss" else (
        "score += (output.argmax(1) == y).sum().item()"
    )  # fmt: skip
    loop = block("for x, y in <valid>:", "x, y = x<to>, y<to>\noutput = <model>(x)", value, "count += y.size(0)")
    decorated = vector["evaluation"] in ("decorated", "inference")
    whole = loop if decorated else block("with torch.no_grad():", loop)
    return f"<model>.eval()\nscore, count = 0, 0\n{whole}\nreturn score / count"


def epochs(scope: Scope, call: Call) -> str:
    """The epochs, in whatever loop they are."""
    loop = scope.vector["loop"]
    first = "best = -1e9" if scope.vector["evaluation"] in ("best", "best_loss") else ""
    if loop == "hooks":
        return hooks(scope, call)
    body = epoch(scope, call)
    if loop in ("steps", "steps_next"):
        return f"epoch = 0\n{body}"
    if loop == "while_epochs":
        text = "epoch = 0\n" + block("while epoch < <config.epochs>:", body, "epoch += 1")
    elif loop == "recursion":
        text = block("def train_from(epoch):", block("if epoch == <config.epochs>:", "return"), body,
                     "train_from(epoch + 1)") + "\n\ntrain_from(0)"  # fmt: skip
    elif loop == "stages":
        inner = block("for epoch in range(count_of_epochs):", body)
        text = block('for stage, count_of_epochs in (("warm", 1), ("full", 2)):', "<print>(stage)", inner)
    else:
        text = block("for epoch in range(<config.epochs>):", body)
    return "\n".join(filter(None, [first, text]))


def hooks(scope: Scope, call: Call) -> str:
    """An engine that calls back."""
    late, given, _ = batches(scope)
    train = block("def train_step(step, batch):", step(scope))
    ddp = scope.vector["wrapper"].startswith("ddp")
    start = block("def start(epoch):", "<model>.train()", "<loader>.sampler.set_epoch(epoch)" if ddp else "")
    end = block("def end(epoch):", after_loop(scope), "\n".join(after_epoch(scope, call)))
    runs = 'runner = @Engine(train_step)\nrunner.on("start", start)\nrunner.on("end", end)'
    parts = [before_loop(scope), late, f"{train}\n", f"{start}\n", f"{end}\n", runs]
    return "\n".join(filter(None, [*parts, f"runner.run(lambda: {given}, <config.epochs>)"]))


def ending(scope: Scope) -> str:
    """What comes after the last epoch."""
    vector = scope.vector
    lines = [save(scope) if vector["save"] in ("state", "checkpoint", "helper") else "", fragment(scope, "ending")]
    if vector["averaging"] != "none":
        lines.append(f'kept = {TRAINING["averaged"][vector["averaging"]]}\n<print>(f"average {{kept:.4f}}")')
    if vector["wrapper"].startswith("ddp"):
        lines.append("dist.destroy_process_group()")
    return "\n".join(filter(None, lines))
