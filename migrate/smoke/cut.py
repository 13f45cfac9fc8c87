"""Judges runs whose time was over by the steps that both of them finished.

A run that is slow is not a run that is wrong: what it did until then is compared, and what it left half way is not.
"""

from __future__ import annotations

from dataclasses import replace

from migrate.smoke.record import Ending, Run, Worker


def finished_steps(original: Run, migrated: Run) -> int:
    """The optimizer steps that both have done, where one of them was ended by time and the other is fine or was too;
    0 where that is not so."""
    endings = {original.ending, migrated.ending}
    if Ending.TIMED_OUT not in endings or not endings <= {Ending.TIMED_OUT, Ending.ENDED, Ending.STOPPED}:
        return 0
    return min(sum(worker.steps[:1]) for run in (original, migrated) for worker in run.workers or (Worker(),))


def cut(run: Run, steps: int) -> Run:
    """What a run did in its first steps, as if it had been stopped there. What it would have left is not known."""
    return replace(run, ending=Ending.STOPPED, workers=tuple(cut_worker(worker, steps) for worker in run.workers))


def cut_worker(worker: Worker, steps: int) -> Worker:
    """The same of one process."""
    own = worker.steps[:1]
    return replace(
        worker,
        steps=(steps,) if own else (),
        losses=tuple((step, value) for step, value in worker.losses if step < steps),
        gradients=worker.gradients[:steps] if len(worker.steps) == 1 else (),
        graphs=worker.graphs[:steps],
        parameters=(),
        buffers=(),
        optimizer_state=(),
        schedulers=(),
        copies=(),
        files=(),
    )


def say_cut(original: Run, migrated: Run, steps: int, same: bool) -> str:
    """Why nothing is proved: who was ended, where it was, and what helps."""
    ended = [
        f"{name} {run.reason}"
        for name, run in (("the original", original), ("the migrated script", migrated))
        if run.ending is Ending.TIMED_OUT
    ]
    number = "step" if steps == 1 else f"{steps} optimizer steps"
    found = "the same" if same else "not the same, by more than the smallest tolerance"
    return f"judged by the first {number}: {found}; {'; '.join(ended)}, -n {steps} asks for no more"
