"""Second names of rules: the numbers of the lint table for Training Compiler scripts, TS001 to TS027, and of the edits
of launchers that mend what a rule SM0xx finds: LC03, LC04, LC08, LC09, LC10, LC13.

The table speaks of what a person sees in a script that was migrated by hand; the rules speak of what is edited or said.
One finding of the table is often several rules, and one rule may answer several findings. An alias is taken wherever
the id of a rule is: it means all of its rules.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache


@dataclass(frozen=True)
class Alias:
    """One finding of the lint table, or one edit of launchers, and the rules that mend it or say it."""

    summary: str
    rules: tuple[str, ...]


ALIASES = {
    "TS001": Alias("no top-level _mp_fn(index)", ("TC712", "TC713", "TC714", "TC721", "TC722", "SM028")),
    "TS002": Alias("_mp_fn does not take exactly one argument", ("TC715", "TC716")),
    "TS003": Alias("work under __main__ only, which the launcher skips", ("TC712", "TC717")),
    "TS004": Alias("arguments parsed, or a device or group made, while the script is imported",
                   ("TC713", "TC714", "TC718", "TC720")),
    "TS005": Alias("a script name with a dot in it, which cannot be imported", ("TC719",)),
    "TS006": Alias("the SageMaker data parallel library",
                   ("TC501", "TC503", "TC510", "TC511", "TC512", "TC513", "TC516", "TC517", "TC519", "TC520", "TC990")),
    "TS007": Alias("the SageMaker model parallel library", ("TC901", "TC902")),
    "TS008": Alias("a number put into os.environ", ("TC731",)),
    "TS009": Alias("GPU_NUM_DEVICES set too late, or over what the launcher sets", ("TC732",)),
    "TS010": Alias("a class of torch_xla imported as a module", ("TC334",)),
    "TS011": Alias("batches as long as their longest sample", ("TC918",)),
    "TS012": Alias("a last batch of another size", ("TC207", "TC208", "TC723")),
    "TS013": Alias("a DistributedSampler that is not told the epoch", ("TC222", "TC227")),
    "TS014": Alias("a Trainer without the syncfree AdamW", ("TC724",)),
    "TS015": Alias("a value of the step read or printed in every step", ("TC431", "TC432", "TC433", "TC434")),
    "TS016": Alias("a checkpoint saved by torch.save, or by some processes only", ("TC601", "TC602", "TC603", "TC604")),
    "TS017": Alias("a CUDA device or CUDA mixed precision beside XLA",
                   ("TC101", "TC102", "TC103", "TC111", "TC112", "TC301", "TC302", "TC311", "TC990", "TC991")),
    "TS018": Alias("a loop that never executes its graph", ("TC201", "TC421", "TC426")),
    "TS019": Alias("gradients unscaled or clipped before they are averaged", ("TC403", "TC411")),
    "TS020": Alias("processes that start from different weights", ("TC541", "TC542", "TC543", "TC544")),
    "TS021": Alias("a key prefix taken off by partition()", ("TC623",)),
    "TS022": Alias("a model that only one process runs", ("TC572",)),
    "TS023": Alias("syncfree optimizers, which torch_xla 1.13 puts in by itself", ("TC331",)),
    "TS024": Alias("a division by the number of nodes, which may be 0", ("TC573",)),
    "TS025": Alias("a launcher script that drops the exit status", ("TC741", "TC742")),
    "TS026": Alias("RANK, LOCAL_RANK or WORLD_SIZE read from the environment", ("TC521", "TC522", "TC574")),
    "TS027": Alias("a copy to S3 whose failure nobody sees", ("TC743", "TC744")),
    "LC03": Alias("pytorchxla starts the processes, for one GPU nothing does", ("SM002", "SM009", "SM010", "SM012")),
    "LC04": Alias("torchxla is called pytorchxla", ("SM001",)),
    "LC08": Alias("the Python of a container", ("SM005", "SM017")),
    "LC09": Alias("no image beside the compiler", ("SM007",)),
    "LC10": Alias("the Debugger and the profiler are off", ("SM008", "SM021")),
    "LC13": Alias("text in environment, and no GPU_NUM_DEVICES that is set anyway", ("SM015", "SM016")),
}  # fmt: skip


@cache
def aliases_of(rule: str) -> tuple[str, ...]:
    """The aliases of a rule, by its id."""
    return tuple(id for id, alias in ALIASES.items() if rule in alias.rules)


def is_called(rule: str, words: tuple[str, ...]) -> bool:
    """Whether a rule is meant by one of some words: an id, an alias, or the beginning of one."""
    return rule.startswith(words) or any(alias.startswith(words) for alias in aliases_of(rule))
