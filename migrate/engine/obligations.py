"""What a migration owes its original, checked by comparing two executions."""

from __future__ import annotations

from collections.abc import Iterator

from codemods.kit.meaning.data_primitives import LOCAL_SHARE, SHARED, WHOLE
from codemods.kit.meaning.execution import Execution
from codemods.kit.meaning.record import AVERAGED, COMPILED, COST, LATEST, MEETING, ONCE, Event
from codemods.kit.meaning.steps import LOCALLY, MEAN, SUM, Step
from codemods.kit.meaning.values import RANK, VARYING, Choice, Site
from migrate.engine.certificate import Finding, Standing
from migrate.engine.comparison import Comparison, Made
from migrate.engine.turns import Turns, cut_short, innermost, is_part, loops_of, on_accelerator

SHARE = "each process has its share of the data, in another order each epoch"
REACHED = "what trained still trains"
FOLLOWED = "all that trains was followed"
ALONE = "what one process did, one process does"
ENDS = "nothing waits when the program ends"
KEYS = "checkpoints keep their keys"
RUNS = "what is written runs on torch_xla"


def trains_in_parallel(execution: Execution) -> bool:
    """Whether an original averages gradients over several devices."""
    return execution.several or bool(execution.record.of("wrap"))


def compare(comparison: Comparison) -> Iterator[Finding]:
    """All that comparing shows."""
    for check in CHECKS:
        yield from check(comparison)


def averaged(comparison: Comparison) -> Iterator[Finding]:
    """Each gradient that the original's wrapper averaged is averaged when it is stepped, and no other."""
    before = comparison.gradients_before
    apart = _apart_before(comparison)
    steps = [event.about for event in comparison.after.record.of("step") if isinstance(event.about, Step)]
    somewhere = {comparison.made(site) for step in steps for site, gradient in step.gradients if MEAN in gradient}
    for event in comparison.after.record.of("step"):
        step = event.about
        if not isinstance(step, Step) or not step.several:
            continue
        for site, gradient in sorted(step.gradients, key=str):
            made = comparison.made(site)
            alone, expected = comparison.before is None, before.get(made)
            if expected and MEAN in expected and made not in somewhere:
                expected = {MEAN}  # on some of the original's paths, and on none here
            message = _misreduced(set(gradient.split("/")), expected, alone, made in apart)
            if message:
                yield comparison.finding(AVERAGED, Standing.VIOLATED, event.site, message, step.optimizer, event.chain)
                break


def _apart_before(comparison: Comparison) -> set[Made]:
    """What each process of the original steps with its own gradients, where other gradients are averaged."""
    every = comparison.before.record.of("step") if comparison.before else ()
    steps = [event.about for event in every if isinstance(event.about, Step) and event.about.several]
    if not any(MEAN in gradient for step in steps for _, gradient in step.gradients):
        return set()
    own = {site for step in steps for site, gradient in step.gradients if gradient == LOCALLY}
    return {(site.path, site.line, site.function) for site in own}


def _misreduced(now: set[str], then: set[str] | None, alone: bool, apart: bool) -> str:
    expected = {MEAN} if alone or (then and MEAN in then) else then  # where there is one process only, none averages
    if SUM in now and (expected is None or SUM not in expected):
        return "gradients are summed over the processes but not divided by their number"
    if expected is None:
        return ""
    if LOCALLY in now and MEAN in expected and LOCALLY not in expected:
        return "gradients are stepped as each process has them: nothing averages them over the processes"
    if now == {MEAN} and expected <= {LOCALLY, "none"} and apart:
        return "gradients are averaged that the original kept apart in each process"
    return ""


def always(comparison: Comparison) -> Iterator[Finding]:
    """Where each iteration steps, each averages its gradients."""
    for turns in loops_of(comparison.after.record.events).values():
        steps = [one for one in innermost(turns, "step") if VARYING not in one.taints]
        reduced = innermost(turns, "reduce")
        if steps and reduced and all(VARYING in one.taints for one in reduced):
            for event in reduced[:1]:
                message = "gradients are averaged in some iterations, and stepped in all"
                yield comparison.finding(AVERAGED, Standing.OPEN, event.site, message, steps[0].site, event.chain)


def in_parallel(comparison: Comparison) -> Iterator[Finding]:
    """A program that trained in several processes still does."""
    if comparison.before is None or not trains_in_parallel(comparison.before):
        return
    steps = comparison.after.record.of("step")
    spent = comparison.after.spent  # what starts them may come later
    if steps and not spent and not any(isinstance(one.about, Step) and one.about.several for one in steps):
        message = "the original trained on several devices; nothing here starts more than one process"
        files = {event.site.path for event in comparison.before.record.of("wrap")}
        first = next((event for event in steps if event.site.path in files), steps[0])
        yield comparison.finding(REACHED, Standing.OPEN, first.site, message)


def reached(comparison: Comparison) -> Iterator[Finding]:
    """What the original did to train is still done, in the same functions."""
    if comparison.before is None or comparison.after.failure:
        return
    after, done = comparison.after.called, comparison.before.called
    if not comparison.before.calls_training:
        after, done = comparison.after.record.events, comparison.before.record.events
    for kind, (name, standing) in _DONE.items():
        now = {comparison.lines.source(one.site) for one in after if one.kind == kind}
        functions = {(one.path, one.function) for event in after if event.kind == kind for one in event.chain}
        said = set()
        for event in done:
            place = (event.site.path, event.site.line)
            if event.kind != kind or place in now or place in said:
                continue
            if (event.site.path, event.site.function) not in functions:
                said.add(place)
                message = f"{name}, done at the original's line {event.site.line}, is not done any more"
                yield Finding(REACHED, standing, event.site.path, _nearest(comparison, place), message, place[1])


def stepped(comparison: Comparison) -> Iterator[Finding]:
    """A loop that goes backward and steps still does both."""
    if comparison.before is None:
        return
    before = loops_of(comparison.before.record.events)
    stepping = [site for site, turns in before.items() if any(one.kind == "step" for one in turns.events)]
    steps = {(site.path, site.line) for site in stepping}
    for site, turns in loops_of(comparison.after.record.events).items():
        backwards = innermost(turns, "backward")
        if backwards and comparison.lines.source(site) in steps and all(one.kind != "step" for one in turns.events):
            if comparison.lines.source(backwards[0].site) in comparison.said_before("backward"):
                message = "the original steps in this loop; here nothing does"
                yield comparison.finding(REACHED, Standing.VIOLATED, site, message, None, backwards[0].chain)


_DONE = {
    "backward": ("backward()", Standing.VIOLATED),
    "step": ("an optimizer's step", Standing.VIOLATED),
    "zero": ("clearing of gradients", Standing.OPEN),
    "clip": ("clipping of gradients", Standing.VIOLATED),
    "schedule": ("a scheduler's step", Standing.VIOLATED),
    "load state": ("loading of a state", Standing.OPEN),
    "save": ("a save", Standing.OPEN),
    "copied": ("a copy", Standing.OPEN),
}
"""What is looked for again, with what it is called."""


def trained(comparison: Comparison) -> Iterator[Finding]:
    """What is stepped has gradients; they are those of one step; the step is in the loop of its backward."""
    before = comparison.gradients_before
    compared = comparison.before is not None and bool(comparison.before.record.of("step"))
    clear = not comparison.after.record.of("unclear backward")
    for event in comparison.after.record.of("step"):
        if not isinstance(event.about, Step):
            continue
        now = {gradient for _, gradient in event.about.gradients}
        then = {one for site, _ in event.about.gradients for one in before.get(comparison.made(site), ())}
        missing = now == {"none"} and bool(then & {MEAN, LOCALLY} if compared else clear)
        if missing and event.about.optimizer not in _stale_optimizers(comparison):
            message = "no gradient reaches what this steps"
            standing = Standing.VIOLATED if compared else Standing.OPEN
            yield comparison.finding(REACHED, standing, event.site, message, event.about.optimizer, event.chain)
    if comparison.before is not None and not comparison.before.spent:
        yield from _added(comparison)
    yield from _out_of_the_loop(comparison)


def _added(comparison: Comparison) -> Iterator[Finding]:
    assert comparison.before is not None
    then = {(one.path, one.line, one.function) for event in comparison.before.record.of("added") for one in event.about}
    for event in comparison.after.record.of("added"):
        made = [comparison.made(site) for site in event.about - _stale(comparison)]
        if any(one not in then and one in comparison.gradients_before for one in made):
            message = "gradients are added to those of an earlier iteration: nothing clears them any more"
            yield comparison.finding(REACHED, Standing.VIOLATED, event.site, message, None, event.chain)


def _stale(comparison: Comparison) -> set[Site]:
    """The parameters whose optimizer has those of before a move: that nothing clears them follows from it."""
    optimizers = _stale_optimizers(comparison)
    steps = [event.about for event in comparison.after.record.of("step") if isinstance(event.about, Step)]
    return {site for step in steps if step.optimizer in optimizers for site, _ in step.gradients}


def _stale_optimizers(comparison: Comparison) -> set[Site | None]:
    return {one.cause for one in comparison.after.record.findings.values() if one.obligation == LATEST}


def _out_of_the_loop(comparison: Comparison) -> Iterator[Finding]:
    def inside(events: list[Event]) -> bool:
        loops = {event.loops for event in events if event.kind == "backward"}
        return all(event.loops[: len(one)] == one for event in events if event.kind == "step" for one in loops if one)

    if comparison.before is None or not inside(comparison.before.called) or inside(comparison.after.called):
        return
    loops = {event.loops for event in comparison.after.called if event.kind == "backward"}
    for event in comparison.after.called:
        if event.kind == "step" and not any(event.loops[: len(one)] == one for one in loops if one):
            message = "this step is outside of the loop of its backward; the original's is in it"
            yield comparison.finding(REACHED, Standing.VIOLATED, event.site, message, None, event.chain)


def _nearest(comparison: Comparison, place: tuple[str, int]) -> int:
    """The line of the migrated file that stands where the original's line stood."""
    best = 1
    for line in range(1, place[1] + 400):
        source = comparison.lines.source_line(place[0], line)
        if source and source <= place[1]:
            best = line
        if source > place[1]:
            break
    return best


def executed(comparison: Comparison) -> Iterator[Finding]:
    """Each iteration's graph is executed; how often it is executed is said."""
    every = loops_of(comparison.after.record.events)
    for turns in every.values():
        trained = innermost(turns, "backward")
        if not on_accelerator(turns):
            continue
        if not trained and not innermost(turns, "forward"):
            continue
        marks = [one for one in turns.events if one.kind == "mark" and one.about]
        if not marks:
            read = innermost(turns, "early read")
            if not trained and read:
                continue  # what is read is executed, and the rest of an evaluation's graph is given up
            message = "nothing executes the graph of an iteration: it grows with each one"
            if is_part(turns, every):
                message = "the iterations of this loop are one graph: it is as long as they are many"
                runs = _runs_again(turns)
                kind, standing = (ONCE, Standing.OPEN) if runs else (COMPILED, Standing.COST)
                yield comparison.finding(kind, standing, turns.site, message)
                continue
            standing = Standing.VIOLATED if trained or len(turns.turns) > 1 else Standing.OPEN
            given_away = {"unclear backward"} == {one.kind for one in turns.events} & {"unclear backward", "step"}
            if not cut_short(turns, every) and not given_away:  # a library that is not read does what is missing
                yield comparison.finding(ONCE, standing, turns.site, message)
            continue
        pairs = list(zip(turns.marked, turns.marked[1:], strict=False))
        # where batches are asked for by `next`, the mark of the second executes what the first left
        marked = {later[0] > sooner[0] for sooner, later in pairs if later[1] > sooner[1]}
        if trained and marked == {False}:
            message = "not every iteration that steps is executed: the graphs of several become one"
            yield comparison.finding(ONCE, Standing.OPEN, turns.site, message)
        for turn in turns.turns[:1]:
            for one in [event for event in turn if event.kind == "mark" and event.about and event.loops][1:]:
                yield comparison.finding(
                    COST, Standing.COST, one.site, "one more execution of the graph in each iteration", None, one.chain
                )


def _runs_again(turns: Turns) -> bool:
    """Whether the iterations of a loop do nothing but run one network, again and again, without training it."""
    runs = [one.about for one in innermost(turns, "only run")]
    return len(runs) == len(innermost(turns, "forward")) > 1 and len(set(runs)) == 1


def placed(comparison: Comparison) -> Iterator[Finding]:
    """What the original trained on CUDA is not trained on the host."""
    if comparison.before is None:
        return
    there = {(one.site.path, one.site.line) for one in comparison.before.record.of("on host")}
    trained = comparison.said_before("backward")
    for event in comparison.after.record.of("on host"):
        source = comparison.lines.source(event.site)
        if event.about == "backward" and source in trained and source not in there:
            message = "the original trains this on CUDA; here it is trained on the host"
            yield comparison.finding(REACHED, Standing.VIOLATED, event.site, message, None, event.chain)


def moved(comparison: Comparison) -> Iterator[Finding]:
    """A network that is handed in, and that the original moves before it runs it, is moved here as well."""
    before: dict[Made, set[str]] = {}
    for event in comparison.before.record.of("run") if comparison.before else ():
        for site, kind in event.about:
            before.setdefault((site.path, site.line, site.function), set()).add(kind)
    for event in comparison.after.record.of("run"):
        for site, kind in event.about:
            if kind == "anywhere" and before.get(comparison.made(site)) == {"cuda"}:
                message = "the original moves this network before it runs it; here nothing does"
                yield comparison.finding(MEETING, Standing.OPEN, event.site, message, site, event.chain)


def read_early(comparison: Comparison) -> Iterator[Finding]:
    """Reads in loops that wait for the device."""
    for event in comparison.after.record.of("early read"):
        message = f"{event.about} waits for the device, and executes what is pending once more, in each iteration"
        yield comparison.finding(COST, Standing.COST, event.site, message, None, event.chain)


def recompiled(comparison: Comparison) -> Iterator[Finding]:
    """What makes another graph: shapes that depend on data, branches by chance, slices that move."""
    for kind, message in _RECOMPILES.items():
        for event in comparison.after.record.of(kind):
            if event.loops:
                yield comparison.finding(
                    COST, Standing.COST, event.site, message.format(event.about), None, event.chain
                )


_RECOMPILES = {
    "dynamic shape": "{} gives a shape that depends on data: a compilation for each new one",
    "random branch": "chance decides what is in the graph: a compilation for each way it goes",
    "moving slice": "a slice whose bounds are other numbers in each iteration: a compilation for each of them",
    "ragged batch": "batches are padded to what is longest in them: a compilation for each length",
}


def kept(comparison: Comparison) -> Iterator[Finding]:
    """What was written into parts of a tensor is written there still; keys keep their first part."""
    if comparison.before is None:
        return
    record = comparison.after.record
    written = {(one.path, one.function) for event in record.of("written view") for one in event.chain}
    read = {one.about for one in comparison.before.record.of("gathered read")}
    for event in comparison.before.record.of("written view"):
        place = (event.site.path, event.site.line)
        if event.about in read and (event.site.path, event.site.function) not in written:
            message = "what the original gathers into parts of a tensor does not get there"
            yield Finding(REACHED, Standing.VIOLATED, place[0], _nearest(comparison, place), message, place[1])
    for event in record.of("own state"):
        if not comparison.was_there(event):
            message = "what is loaded is what the network has: its weights were kept, and nothing copied them"
            yield comparison.finding(KEYS, Standing.VIOLATED, event.site, message, None, event.chain)
    yield from _names(comparison)
    if comparison.before.record.of("wrapper"):
        for event in record.of("strip"):
            message = "a first part is taken off the keys of a checkpoint: those that are written now have no `module.`"
            yield comparison.finding(KEYS, Standing.OPEN, event.site, message, None, event.chain)


def _names(comparison: Comparison) -> Iterator[Finding]:
    """The names in old checkpoints are those of wrapped networks; the networks here have none of their first part."""
    assert comparison.before is not None
    record = comparison.after.record
    for event in record.of("prefixed"):
        if not comparison.was_there(event):
            message = "names from a checkpoint get a first part here that the original did not give them"
            yield comparison.finding(KEYS, Standing.OPEN, event.site, message, None, event.chain)
    loads = comparison.before.record.of("load state")
    wrapped = {(one.site.path, one.site.line) for one in loads if isinstance(one.about, tuple) and one.about[1]}
    if record.of("unprefixed") or record.of("strip"):
        return
    for event in record.of("load state"):
        if isinstance(event.about, tuple) and comparison.lines.source(event.site) in wrapped:
            message = "checkpoints of the original name what they hold `module.`: nothing takes that off"
            yield comparison.finding(KEYS, Standing.OPEN, event.site, message, None, event.chain)


def unmixed(comparison: Comparison) -> Iterator[Finding]:
    """What is trained on comes in another order each time where the original's did."""
    if comparison.before is None:
        return
    mixed = {(site.path, site.line) for site, _, now, _ in _orders(comparison.before) if now}
    trained = _trained_on(comparison.after)
    for site, serial, now, sampler in _orders(comparison.after):
        if now is False and serial in trained and comparison.lines.source(site) in mixed:
            message = "the original mixes this data; here it comes in the order it lies in"
            yield comparison.finding(SHARE, Standing.VIOLATED, site, message, sampler)


def _orders(execution: Execution) -> list[tuple[Site, int, bool | None, Site | None]]:
    return [event.about for event in execution.record.of("order")]


def _trained_on(execution: Execution) -> set[int]:
    return {one[1] for event in execution.record.of("backward") for one in event.about[1]}


def begun(comparison: Comparison) -> Iterator[Finding]:
    """All processes begin with the same weights where the original's wrapper saw to that."""
    before = comparison.before
    if before is None:
        return
    then = {_made_before(site) for event in before.record.of("begun alone") for site in event.about[1]}
    equal = {made for made, held in comparison.gradients_before.items() if MEAN in held} - then
    for event in comparison.after.record.of("begun alone"):
        optimizer, alone = event.about
        if any(comparison.made(site) in equal for site in alone):
            message = "each process begins with random weights of its own: nothing sends those of one to the others"
            yield comparison.finding(AVERAGED, Standing.VIOLATED, event.site, message, optimizer, event.chain)


def _made_before(site: Site) -> tuple[str, int, str]:
    """Where a parameter of the original was made, as `Comparison.made` says it of the result's."""
    return site.path, site.line, site.function


def graphs_kept(comparison: Comparison) -> Iterator[Finding]:
    """A tensor that is kept over the iterations that train does not keep all that its loss was made of."""
    every = loops_of(comparison.after.record.events)
    training = {site for site, turns in every.items() if innermost(turns, "backward")}
    for event in comparison.after.record.of("kept graph"):
        if training & set(event.about) and not comparison.was_there(event):
            message = "what is kept of each iteration keeps its graph as well: memory grows with each one"
            yield comparison.finding(COST, Standing.COST, event.site, message, None, event.chain)


def started(comparison: Comparison) -> Iterator[Finding]:
    """How processes start is set before they are started, and an import starts none."""
    for event in comparison.after.record.of("launch"):
        if event.about and not comparison.lines.guarded(event.site):
            message = "importing this file starts the processes, and each of them imports it"
            yield comparison.finding(RUNS, Standing.VIOLATED, event.site, message)
    if comparison.after.several and not (comparison.before and _set_in_workers(comparison.before)):
        for event in _set_in_workers(comparison.after):
            message = "the start method is set once more in each process: `context has already been set`"
            yield comparison.finding(RUNS, Standing.VIOLATED, event.site, message, None, event.chain)


def _set_in_workers(execution: Execution) -> list[Event]:
    launched = False
    found = []
    for event in execution.record.events:
        launched = launched or event.kind == "launch"
        if launched and event.kind == "start method":
            found.append(event)
    return found


def left(comparison: Comparison) -> Iterator[Finding]:
    """Parts of CUDA that do nothing without it."""
    for event in comparison.after.record.of("cuda scaler"):
        message = "a gradient scaler of CUDA is asked here: without CUDA its answer is None"
        yield comparison.finding(RUNS, Standing.OPEN, event.site, message)


def frozen(comparison: Comparison) -> Iterator[Finding]:
    """Batch norm whose statistics stand still while it trains: its backward does not run on torch_xla 2.x."""
    message = "batch norm in eval mode is trained through: " + (
        "whether its backward runs on this torch_xla was not tried"
        if comparison.after.legacy
        else "its backward does not run on torch_xla 2.x"
    )
    through = comparison.after.record.of("through frozen")
    layers = comparison.after.record.of("frozen batch norm")
    for one in {event.site: event for event in through if event.loops}.values():
        first = next(layer for layer in layers if layer.site in one.about)
        more = f" (the first of {len(one.about)} lines)" if len(one.about) > 1 else ""
        yield comparison.finding(RUNS, Standing.OPEN, first.site, message + more, one.site, first.chain)


def packed(comparison: Comparison) -> Iterator[Finding]:
    """What torch_xla cannot run."""
    tried = not comparison.after.legacy
    message = "packed sequences " + ("do not run on torch_xla 2.x" if tried else "were not tried on this torch_xla")
    for event in comparison.after.record.of("packed sequence"):
        yield comparison.finding(RUNS, Standing.VIOLATED if tried else Standing.OPEN, event.site, message)
    if comparison.before:
        for event in comparison.after.record.of("communication hook"):
            yield comparison.finding(
                AVERAGED, Standing.VIOLATED, event.site, "a communication hook has no wrapper to hang on"
            )
        if comparison.before.record.of("communication hook") and not comparison.after.record.of("communication hook"):
            one = comparison.before.record.of("communication hook")[0]
            place = (one.site.path, one.site.line)
            message = "what the original's communication hook did to gradients is not done any more"
            yield Finding(AVERAGED, Standing.OPEN, place[0], _nearest(comparison, place), message, place[1])


def shared_out(comparison: Comparison) -> Iterator[Finding]:
    """Loaders of training data give each process its share."""
    if not comparison.after.several:
        return
    trained, samplers = _trained_on(comparison.after), {one[1]: one[3] for one in _orders(comparison.after)}
    whole = _whole_before(comparison)
    for event in comparison.after.record.of("fetch"):
        site, share, serial, several, divided = event.about
        if divided[0] > _divided_before(comparison, site):
            message = "each process has its batch already in the original: it is divided by their number here"
            yield comparison.finding(SHARE, Standing.VIOLATED, site, message)
        if not several or serial not in trained or comparison.lines.source(site) in whole:
            continue
        if share == LOCAL_SHARE:
            message = "the share is chosen by the place on the host: the processes of two hosts train on the same"
            yield comparison.finding(SHARE, Standing.VIOLATED, site, message, samplers.get(serial))
        elif share == WHOLE:
            message = "every process trains on all of this data"
            yield comparison.finding(SHARE, Standing.VIOLATED, site, message, samplers.get(serial))
        elif isinstance(share, Choice) and WHOLE in tuple(share):
            yield comparison.finding(
                SHARE, Standing.OPEN, site, f"every process trains on all of this data {_when(share)}"
            )
        elif share is None and not _shared_later(comparison, serial):
            yield comparison.finding(
                SHARE, Standing.OPEN, site, "not shown that each process gets a share of this data of its own"
            )


def _shared_later(comparison: Comparison, serial: int) -> bool:
    """Whether a loader that shares out is between what is read here and all that trains on it."""
    record = comparison.after.record
    shared = {event.about[2] for event in record.of("fetch") if event.about[1] == SHARED}
    uses = [{one[1] for one in event.about[1]} for event in record.of("backward")]
    return all(one & shared for one in uses if serial in one)


def _whole_before(comparison: Comparison) -> set[tuple[str, int]]:
    """The loaders from which each process of the original read all of the data, or what it chose by itself."""
    if comparison.before is None:
        return set()
    fetched, trained = comparison.before.record.of("fetch"), _trained_on(comparison.before)
    read = [event.about for event in fetched if event.about[2] in trained or not trained]
    return {(site.path, site.line) for site, share, _, several, _ in read if share == WHOLE and several}


def _divided_before(comparison: Comparison, site: Site) -> int:
    """How often a batch may be divided by the number of processes: once where one process fed them all."""
    fetched = [event.about for event in comparison.before.record.of("fetch")] if comparison.before else []
    place = comparison.lines.source(site)
    own = [divided[1] for made, _, _, several, divided in fetched if several and (made.path, made.line) == place]
    return max(own, default=1)


def _when(share: Choice) -> str:
    for facts, one in share.options:
        if one == WHOLE:
            for key, held in facts:
                if isinstance(key, tuple) and key and str(key[0]).startswith("option "):
                    return f"when {key[0]} is {'set' if held else 'not set'}"
                if isinstance(key, tuple) and len(key) == 3 and key[0] == "attribute":
                    return f"when {key[2]} is {'set' if held else 'not set'}"
    return "on some paths"


def reordered(comparison: Comparison) -> Iterator[Finding]:
    """Each epoch has another order where the original's had."""
    for event in comparison.after.record.of("same order"):
        if not comparison.was_there(event):
            message = "this sampler hands out the same order in each epoch: nothing calls its set_epoch between them"
            yield comparison.finding(SHARE, Standing.OPEN, event.about, message)


def alone(comparison: Comparison) -> Iterator[Finding]:
    """What must not be done by all processes at once."""
    if not comparison.after.several:
        return
    for event in comparison.after.record.of("alone"):
        if RANK in event.taints or comparison.lines.source(event.site) in _done_by_all(comparison):
            continue
        if "tried" in event.taints and event.about != "input()":
            continue
        standing = Standing.VIOLATED if event.about == "input()" else Standing.OPEN
        yield comparison.finding(ALONE, standing, event.site, f"all processes do {event.about} here, at the same time")


def _done_by_all(comparison: Comparison) -> set[tuple[str, int]]:
    """Where every process of the original did what must be done by one, however it is started."""
    if comparison.before is None or not comparison.before.several:
        return set()
    events = comparison.before.record.of("alone")
    guarded = {(one.site.path, one.site.line) for one in events if RANK in one.taints}
    return {(one.site.path, one.site.line) for one in events} - guarded


def followed(comparison: Comparison) -> Iterator[Finding]:
    """What was not followed, and matters to training."""
    after = comparison.after
    if after.failure:
        yield Finding(FOLLOWED, Standing.OPEN, "", 0, f"the judge could not follow this program: {after.failure}")
    yield from _too_large(comparison)
    for event in after.record.of("text"):
        message = "exec() runs text that was not read: the names it sets are judged by the values this file gives them"
        yield comparison.finding(FOLLOWED, Standing.OPEN, event.site, message, None, event.chain)
    for event in after.record.of("trouble"):
        yield comparison.finding(
            FOLLOWED, Standing.OPEN, event.site, f"the judge could not do this ({event.about})", None, event.chain
        )
    unclear, finished = after.record.of("unclear backward"), after.finished("unclear backward")
    for event in [one for one in unclear if one.loops or one in finished]:
        message = f"what this loss depends on was not followed ({event.about})"
        yield comparison.finding(FOLLOWED, Standing.OPEN, event.site, message, None, event.chain)
    stepped = {event.about.optimizer for event in after.record.of("step") if isinstance(event.about, Step)}
    elsewhere = {event.about[2] for event in after.record.of("lost")}
    for event in after.finished("capture"):
        if event.about not in stepped | elsewhere:
            yield comparison.finding(FOLLOWED, Standing.OPEN, event.about, "no step of this optimizer was reached")
    for event in after.record.of("step"):
        if isinstance(event.about, Step) and event.about.unclear and not event.about.gradients:
            message = f"which parameters this optimizer steps was not followed ({', '.join(event.about.unclear[:2])})"
            yield comparison.finding(FOLLOWED, Standing.OPEN, event.site, message, event.about.optimizer, event.chain)
    yield from _lost(comparison)


def _too_large(comparison: Comparison) -> Iterator[Finding]:
    """Where an entry was given up: once for the call of the entry that was too much."""
    said = set()
    for event in comparison.after.record.of("spent"):
        start = event.chain[0] if event.chain else event.site
        if start not in said:
            said.add(start)
            where = f" (it ended at {event.site})" if event.site != start else ""
            message = f"too large to be followed to its end: what comes after this call was not judged{where}"
            yield comparison.finding(FOLLOWED, Standing.OPEN, start, message)


def _lost(comparison: Comparison) -> Iterator[Finding]:
    for event in comparison.after.record.of("lost"):
        kind, why, _ = event.about
        if kind.endswith(("Optimizer", "DataLoader", "gradients")) or (event.loops and kind.endswith("Module")):
            message = f"{_ARTICLE[kind.rpartition('.')[2]]} goes where it was not followed: {why}"
            yield comparison.finding(FOLLOWED, Standing.OPEN, event.site, message, None, event.chain)


_ARTICLE = {
    "Optimizer": "an optimizer",
    "DataLoader": "a loader",
    "Module": "a module",
    "Parameter": "a parameter",
    "gradients": "gradients",
}


def ends(comparison: Comparison) -> Iterator[Finding]:
    """No step closure is waiting when the program ends."""
    closures = comparison.after.record.of("closure")
    for event in comparison.after.record.of("end"):
        if any(kind == "closure" for kind, _ in event.about or ()) and closures:
            message = "the last step closure never runs: no mark comes after it"
            yield comparison.finding(ENDS, Standing.VIOLATED, closures[-1].site, message)


CHECKS = (
    averaged,
    always,
    trained,
    in_parallel,
    stepped,
    reached,
    placed,
    moved,
    executed,
    read_early,
    recompiled,
    frozen,
    packed,
    kept,
    unmixed,
    begun,
    graphs_kept,
    started,
    left,
    shared_out,
    reordered,
    alone,
    followed,
    ends,
)
