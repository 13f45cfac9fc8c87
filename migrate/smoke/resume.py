"""Goes on from a checkpoint in both programs, where the script can, and compares what comes of it.

The script's own option is used (`--resume PATH`, `--resume`), or none where it looks for its file by itself. Each
program gets the first checkpoint that it wrote itself, so what was saved, how it is loaded, and where training begins
again are all in what is compared. That it was loaded is seen at `torch.load`.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

from migrate.smoke.compare import compare
from migrate.smoke.judgement import Pair, Verdict, tell_end
from migrate.smoke.record import Run
from migrate.smoke.run import Job
from migrate.smoke.tolerance import Tolerance

OPTION = re.compile(r"^--?(?:auto[-_]?)?(?:resume|restore|continue|load|ckpt|checkpoint|snapshot)", re.I)
OTHER = re.compile(r"dir|folder|every|interval|freq|save|epoch|only|step|strict", re.I)
"""What an option of such a name is about where it does not name a checkpoint."""
LOADS = re.compile(r"\bload\w*\(")
OPTIMIZER = re.compile(r"optim", re.I)


@dataclass(frozen=True)
class Option:
    """An option of the script's by which it goes on."""

    name: str
    takes_path: bool

    def given(self, path: str) -> tuple[str, ...]:
        """How it is written for a checkpoint."""
        return (self.name, path) if self.takes_path else (self.name,)


def find_options(texts: Iterable[str]) -> Iterator[Option]:
    """The options of a program by which it may go on, those called after resuming first."""
    found = []
    for text in texts:
        try:
            tree = ast.parse(text)
        except (SyntaxError, ValueError):
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "add_argument":
                names = [item.value for item in node.args if isinstance(item, ast.Constant)]
                switch = any(word.arg == "action" for word in node.keywords)
                found += [Option(name, not switch) for name in names if isinstance(name, str)]
        found += [Option(name, False) for name in re.findall(r"""["'](--?\w+)["'] in sys\.argv""", text)]
    wanted = [option for option in found if OPTION.match(option.name) and not OTHER.search(option.name)]
    yield from sorted(dict.fromkeys(wanted), key=lambda option: ("resume" not in option.name, len(option.name) < 3))


def choose_checkpoint(run: Run) -> str:
    """The checkpoint to go on from: one that holds an optimizer's state where there is one; empty for none."""
    told = {file.path: file for file in run.first.files if file.values is not None}
    kept = [path for path in run.kept if path in told]
    full = [path for path in kept if any(OPTIMIZER.search(item.name) for item in told[path].values or ())]
    return (full or kept or [""])[0]


def try_resume(
    pair: Pair, original: Job, migrated: Job, texts: Iterable[str], execute: Callable[[Job], Run]
) -> tuple[str, bool]:
    """What came of going on, a sentence, and whether it is an error."""
    first, twin, texts = pair.original, pair.migrated, list(texts)
    why = why_not_tried(pair) or ("" if LOADS.search("\n".join(texts)) else "the script loads no checkpoint")
    if why or first is None:
        return f"resume: not tried: {why}", False
    path = choose_checkpoint(first)
    options = [option.given(path) for option in find_options(texts)][:2] or [()]
    for extra in options:
        jobs = (continued(original, first, extra), continued(migrated, twin, extra))
        with ThreadPoolExecutor(max_workers=2) as pool:
            ran = list(pool.map(execute, jobs))
        how = " ".join(extra) or f"{path} in its place"
        if path in ran[0].first.loaded and ran[0].ok:
            return judge_resume(ran[0], ran[1], path, how, pair)
    return f"resume: not tried: {why_not_loaded(ran[0], path, how)}", False


def why_not_tried(pair: Pair) -> str:
    """Why there is nothing to go on from."""
    if pair.verdict not in (Verdict.PROVED, Verdict.TROUBLE) or pair.original is None:
        return "the training is not proved to be the same"
    if not choose_checkpoint(pair.original):
        return "the original saved no checkpoint in these steps"
    if choose_checkpoint(pair.original) not in pair.migrated.kept:
        return "the migrated script did not save the same checkpoint"
    return ""


def why_not_loaded(ran: Run, path: str, how: str) -> str:
    """Why nothing could be compared after it."""
    if not ran.ok:
        return f"with {how} the original {tell_end(ran)}"
    return f"with {how} the original does not load {path}"


def continued(job: Job, run: Run, extra: tuple[str, ...]) -> Job:
    """The job that goes on from what a run has kept."""
    return replace(job, arguments=(*job.arguments, *extra), given=run.kept)


def judge_resume(original: Run, migrated: Run, path: str, how: str, pair: Pair) -> tuple[str, bool]:
    """Compare two runs that went on."""
    if not migrated.ok:
        return f"resume: with {how} the migrated script {tell_end(migrated)}; the original goes on", True
    if path not in migrated.first.loaded:
        return f"resume: with {how} the migrated script does not load {path}, which the original does", True
    known = pair.comparison.tolerance if pair.comparison is not None else Tolerance()
    limits = replace(known, losses=(), gradients=(), compared_losses=None, compared_gradients=None)
    found = compare(original, migrated, replace(limits, loss=max((known.loss, *known.losses))))
    steps = sum(original.first.steps[:1])
    if found.same:
        return f"resume: with {how} both load {path} and train the same for {steps} steps more", False
    return f"resume: with {how} the training goes on otherwise: {found.reasons[0]}", True
