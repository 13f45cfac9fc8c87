"""All known failures, and the texts that tell what a job is."""

from __future__ import annotations

from migrate.doctor import known_cluster, known_launch, known_platform, known_saving, known_script
from migrate.doctor.failures import Clue, Failure, Sign

FAILURES: dict[str, Failure] = {
    failure.id: failure
    for table in (known_launch, known_script, known_cluster, known_platform, known_saving)
    for failure in table.FAILURES
}
SIGNS: dict[Sign, tuple[Clue, ...]] = {
    Sign.STARTED: (Clue("Invoking user script"), Clue("Invoking script with the following command")),
    Sign.ASKED: (Clue("sagemaker_training_compiler_enabled",
                      r"sagemaker_training_compiler_enabled['\"\\]{0,4}\s{0,4}[:=]?\s{0,4}['\"\\]{0,4}true"),),
    Sign.BANNER: (Clue("Found configuration for Training Compiler"),),
    Sign.ON_XLA: (Clue("device: xla", r"\bdevice: xla\b"),),
    Sign.ON_CUDA: (Clue("device: cuda", r"\bdevice: cuda\b"),),
    Sign.MODEL_PARALLEL: (
        Clue("smdistributed.modelparallel", r"smdistributed[./]modelparallel"),
        Clue("mp_parameters", r"['\"]mp_parameters\b|\bSM_HP_MP_PARAMETERS\b"),
    ),
    Sign.SUCCEEDED: (Clue("Reporting training SUCCESS"),),
}  # fmt: skip
"""What shows each sign."""
