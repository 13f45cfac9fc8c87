"""Compares the files that two runs wrote: which there are, a checkpoint's keys and values, the figures of a log.

A name that two runs of the original do not share (a date, a process number) is compared by what is left of it without
its digits. Only rank 0's files are known. What differs is a finding: the training itself is judged by its values.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from migrate.smoke.ends import compare_values
from migrate.smoke.evidence import Share
from migrate.smoke.finding import Finding
from migrate.smoke.printed import compare_output
from migrate.smoke.record import Parameter, Run, Written
from migrate.smoke.tolerance import FACTOR, PARAMETER_CAP, Tolerance

SEVERAL = 3
WRAPPERS = re.compile(r"(^|\.)(?:(?:module|_orig_mod)\.)+")
"""What DataParallel, DDP and torch.compile put before a key."""
SCALER = re.compile(r"(?:^|\.)(?:grad_?)?scaler?(?:\.|$)|(?:^|\.)amp(?:\.|$)|scale$|growth_|backoff_factor", re.I)
"""Keys of a gradient scaler's state, which bfloat16 needs none of."""


def find_in_files(
    original: Run, disturbed: Run | None, migrated: Run, tolerance: Tolerance
) -> tuple[list[Finding], Share]:
    """What the migrated script wrote otherwise, and how many files that rests on."""
    mine = by_name(original, disturbed)
    theirs = {blurred(file.path): file for file in migrated.first.files} | by_name(migrated, None)
    noise = by_name(disturbed, original) if disturbed is not None else {}
    found: list[Finding] = []
    compared = 0
    for name, file in mine.items():
        other = theirs.get(name)
        if other is None:
            found.append(Finding("file-missing", True, f"does not write {file.path}, which the original does"))
            continue
        compared += not (file.unread or other.unread)
        found += compare_file(file, noise.get(name), other, tolerance)
    return found, Share(compared, len(mine))


def by_name(run: Run, other: Run | None) -> dict[str, Written]:
    """The files of rank 0 by their paths, without digits where another run of the script has no such path."""
    shared = {file.path for file in (other.first.files if other is not None else run.first.files)}
    return {file.path if file.path in shared else blurred(file.path): file for file in run.first.files}


def blurred(path: str) -> str:
    """A path with its numbers taken out."""
    return re.sub(r"[0-9a-f]*\d[0-9a-f]*", "#", path)


def compare_file(file: Written, noise: Written | None, other: Written, tolerance: Tolerance) -> Iterator[Finding]:
    """One file of the original, and the same of the migrated script."""
    if other.bound and not file.bound:
        yield Finding(
            "checkpoint-bound", True, f"{other.path} holds tensors of the XLA device: it loads only where there is one"
        )
    if file.text is not None and other.text is not None:
        steady = noise.text if noise is not None and noise.text is not None else file.text
        for difference in compare_output(file.text, steady, other.text):
            yield Finding("file", difference.error, f"{other.path} {difference.text.replace('prints', 'has', 1)}")
    if file.values is not None and other.values is not None:
        yield from compare_checkpoint(file, noise, other, tolerance)
    elif file.values is not None and not other.unread:
        yield Finding("checkpoint", True, f"{other.path} is no checkpoint, which the original's is")


def compare_checkpoint(file: Written, noise: Written | None, other: Written, tolerance: Tolerance) -> Iterator[Finding]:
    """Keys and values of a checkpoint."""
    mine, theirs = plain_keys(file.values or ()), plain_keys(other.values or ())
    wrapped = any(item.name not in mine for item in file.values or ())
    if wrapped != any(item.name not in theirs for item in other.values or ()):
        yield Finding(
            "checkpoint-keys", False, f"keys of {other.path} {'lack' if wrapped else 'have'} the wrapper's `module.`"
        )
    steady = plain_keys(noise.values or ()) if noise is not None and noise.values is not None else mine
    loose = compare_values(list(mine.values()), list(steady.values()), lambda name: None).found
    known = [item for item in mine.values() if item.name in loose]

    def allowed(name: str) -> float | None:
        own = FACTOR * loose.get(name, 0.0)
        return max(tolerance.floor_of("files", name), own) if own <= PARAMETER_CAP else None

    result = compare_values(known, list(theirs.values()), allowed)
    missing = [name for name in result.missing if not SCALER.search(name)]
    if missing:
        more = f" (and {len(missing) - SEVERAL} more)" if len(missing) > SEVERAL else ""
        yield Finding("checkpoint-keys", True, f"{other.path} has no {', no '.join(missing[:SEVERAL])}{more}")
    if result.off and tolerance.chaotic_step is None and tolerance.unsteady_step is None:
        name, apart, limit = result.off[0]
        others = f" (and {len(result.off) - 1} more)" if len(result.off) > 1 else ""
        yield Finding(
            "checkpoint",
            True,
            f"{name} in {other.path} is off by {apart:.2g} of its norm, where {limit:.2g} is allowed{others}",
        )


def plain_keys(values: Sequence[Parameter]) -> Mapping[str, Parameter]:
    """The values by their keys, without the wrappers' `module.`."""
    plain = {WRAPPERS.sub(r"\1", item.name): item for item in values}
    return {name: Parameter(item.shape, item.norm, item.elements, name, item.dtype) for name, item in plain.items()}
