"""What every report of a proof says in the same words, and in the same order."""

from __future__ import annotations

import re
import statistics
from collections.abc import Iterator

from migrate.smoke.compare import spell
from migrate.smoke.judgement import Pair, Proof, Verdict
from migrate.smoke.record import Backend, Run
from migrate.smoke.report_rows import counted_graphs

COMPARABLE = (
    "Made comparable on both sides: random numbers (dropout, noise, shuffling) come from one generator on the host, "
    "data is loaded in the training process, and everything is computed in {precision}{autocast}."
)


def headline(proof: Proof) -> str:
    """The one line that is read when nothing else is, after the verdict: what it means."""
    verdict = proof.verdict
    if verdict in (Verdict.COULD_NOT_RUN, Verdict.DIVERGED, Verdict.UNPROVED):
        first = next(iter(proof.reasons), "")
        others = len(proof.reasons) - 1
        causes = [finding.text for pair in proof.pairs for finding in pair.findings if finding.error]
        return f"{first}{f' (and {others} more)' if others > 0 else ''}{f'; {causes[0]}' if causes else ''}"
    pair = proof.pairs[0]
    assert pair.comparison is not None
    steps = spell(pair.migrated.first.steps)
    apart = number(pair.comparison.loss_difference)
    same = f"trains the same for {steps} optimizer steps, largest difference of a loss {apart}"
    for other in proof.pairs[1:]:
        same += f"; {other.workers} processes agree" if other.ranks_only else f"; also in {other.workers} processes"
    return same if verdict is Verdict.PROVED else f"{same}; but {proof.reasons[0]}"


def backend_lines(proof: Proof) -> list[str]:
    """What served torch_xla in each pair."""
    return [f"{f'{pair.workers} processes: ' if pair.workers > 1 else ''}{pair.backend}" for pair in proof.pairs]


def modules_line(proof: Proof) -> str:
    """What was migrated beside the script."""
    return f"Migrated with it: {', '.join(module.path for module in proof.modules)}." if proof.modules else ""


def tolerance_line(pair: Pair) -> str:
    """What was allowed and where that comes from."""
    if pair.comparison is None:
        return ""
    tolerance = pair.comparison.tolerance
    count = pair.comparison.compared_losses
    largest = max([tolerance.loss_at(index) for index in range(count)], default=tolerance.loss)
    allowed = f"a loss may differ by {number(tolerance.loss)}"
    if largest > tolerance.loss:
        allowed += f", by {number(largest)} in the end"
    if tolerance.noise is None:
        return f"Tolerance: {allowed} (noise was not measured)."
    return (
        f"Tolerance: {allowed}: the floor, or ten times what rounding does to the original "
        f"(measured: {number(tolerance.noise)}, by a second run with a rounding added to every parameter at each step)."
    )


def difference_line(pair: Pair) -> str:
    """How far apart the two trainings are."""
    found = pair.comparison
    if found is None:
        return ""
    steps = f"{spell(found.original_steps)} and {spell(found.migrated_steps)}"
    if found.original_steps == found.migrated_steps:
        steps = f"{spell(found.original_steps)} in both"
    line = (
        f"Optimizer steps: {steps}. Largest difference of a loss {number(found.loss_difference)}, "
        f"of a gradient norm {number(found.gradient_difference)}; "
        f"final parameters {number(found.parameter_difference)} (median)"
    )
    worst = f", {number(found.worst_difference)} in {found.worst_parameter}" if found.worst_difference else ""
    return f"{line}{worst}."


def evidence_line(pair: Pair) -> str:
    """What the verdict rests on."""
    said = str(pair.comparison.evidence) if pair.comparison is not None else ""
    return f"Compared: {said}." if said else ""


def graphs_line(pair: Pair) -> str:
    """What XLA compiled and executed, and whether that was measured or predicted."""
    counted, late = counted_graphs(pair.migrated), pair.migrated.first.late_graphs
    if not counted:
        return ""
    total = counted[-1]
    predicted = pair.migrated.backend is Backend.STANDIN
    usual = ""
    if late:
        executed = statistics.median_low(step.executed for step in late)
        compiled = statistics.median_low(step.compiled for step in late)
        usual = f"; the usual late step executes {executed}, compiles {compiled or 'none'}"
    return (
        f"Graphs ({'predicted' if predicted else 'measured'}): {total.compiled} compiled, "
        f"{total.executed} executed in {len(counted)} steps{usual}."
    )


def speed_line(pair: Pair) -> str:
    """How fast both were and what memory they took, where a GPU computed."""
    said = []
    for name, run in pair.runs:
        worker = run.first
        if worker.on_gpu:
            speed, memory = worker.steps_per_second, worker.memory / 2**20
            pace = f"{speed:.3g} steps per second" if speed == speed else "too few steps to tell how fast"
            said.append(f"{name} on {worker.device}, {pace}{f', at most {memory:,.0f} MiB' if memory else ''}")
    if not said:
        return ""
    return f"Speed (by the median step, with what watches it): {'; '.join(said)}."


def ranks_line(pair: Pair) -> str:
    """Whether the processes agree, where there is no original to compare them with."""
    agree = "end with other parameters" if pair.verdict is Verdict.DIVERGED else "end with the same parameters"
    return (
        f"The original is one process, which trains on other batches than {pair.workers} do; "
        f"the {pair.workers} processes of the migrated script {agree}."
    )


def comparable_line(proof: Proof) -> str:
    """What was changed in both runs so that numbers can be compared; empty where none were."""
    if not any(pair.comparison for pair in proof.pairs):
        return ""
    autocast = any(sum(run.first.autocast[:1]) for pair in proof.pairs for _, run in pair.runs)
    line = COMPARABLE.format(
        precision="float64" if proof.strict else "float32",
        autocast=" (autocast regions are run, with autocast off)" if autocast else "",
    )
    return f"{line} Data sets are random tensors of the right shapes." if proof.fake_data else line


def enclosure_line(run: Run) -> str:
    """What held the scripts in."""
    words = {
        "processes": "no process outlives the run",
        "network": "no network",
        "files": "no writing outside the run's own folder",
        "attributes": "no change of modes, times, owners or attributes there",
        "sockets": "no Unix socket but the run's own",
    }
    held = ", ".join(words[name] for name in words if name in run.enclosure)
    lacking = "; ".join(words[name] for name in words if name in run.not_granted)
    line = f"Enclosure: {held or 'nothing'}." if held or lacking else ""
    return f"{line} Not granted by this kernel: {lacking}." if lacking else line


def pair_lines(pair: Pair) -> Iterator[str]:
    """What is said below the table of one pair."""
    lines = [evidence_line(pair), difference_line(pair), tolerance_line(pair), graphs_line(pair), speed_line(pair)]
    if pair.ranks_only and pair.migrated.ok:
        lines.append(ranks_line(pair))
    lines += [
        f"{note[:1].upper()}{note[1:]}."
        for note in (*pair.steadiness.notes, pair.settled, pair.resume, pair.alone)
        if note
    ]
    notes = [f"{note[:1].upper()}{note[1:]}." for note in (pair.comparison.notes if pair.comparison else ())]
    return (line for line in (*lines, *notes) if line)


FRAME = re.compile(r'^ *File "(.+)", line \d+')
FOREIGN = re.compile(r"/(?:site-packages|dist-packages|lib/python[\d.]+|migrate/smoke/child)/|^<frozen ")
"""Files that are not the user's: Python's own, what is installed, and what observes the script."""


def last_lines(run: Run, count: int = 12) -> list[str]:
    """The end of what a run printed, without the lines of a traceback that are not about the user's own files."""
    kept, foreign = [], False
    for line in run.output.splitlines():
        frame = FRAME.match(line)
        if frame is not None:
            foreign = FOREIGN.search(frame.group(1)) is not None
        elif not line.startswith("    "):
            foreign = False
        if line.strip() and not foreign:
            kept.append(line.rstrip())
    return kept[-count:]


def number(value: float | None) -> str:
    """ "2.1e-07", "0.18", "0" or "-"; short enough for a table."""
    if value is None:
        return "-"
    return f"{value:.1e}" if 0 < abs(value) < 0.01 else f"{value:.2g}"


def loss_text(value: float | None) -> str:
    """A loss with as many digits as float32 has."""
    return "-" if value is None else f"{value:.7g}"
