"""The real SageMaker SDK takes what the tool writes, and what it refuses, the tool has found.

Every launcher among the goldens is run, as it is and migrated, with the real SDK and a stand-in for the session.
"""

from __future__ import annotations

import re
from typing import Any

import pytest

from codemods.kit.rules import Severity, Stage
from codemods.kit.targets import SMTC
from migrate.migration import Migration
from migrate.pipeline import migrate
from migrate.registry import codemods
from tests.goldens import Case, cases
from tests.sagemaker.conftest import Answers, Ask

FOLDERS = {codemod.name() for codemod in codemods() if codemod.STAGE is Stage.JOB} | {"launchers"}
LAUNCHERS = [case for case in cases() if case.path.parent.name in FOLDERS]
EACH = pytest.mark.parametrize("case", LAUNCHERS, ids=lambda case: case.id)
INCOMPLETE = "instance_groups must be set if instance_type is not set"
"""What the SDK says of a job without machines, which some goldens leave out."""
NOT_COMPILED = {
    "compiler_config/trap_conditional_config": "its author says when it is compiled",
    "compiler_config/trap_model_only": "serves a model",
    "estimator_debugger/trap_cpu_job": "runs on CPUs",
}
REASONS = {
    r"Unsupported Python version": {"SM005", "LC07"},
    r"framework_version or py_version was None": {"SM005", "LC05", "LC22", "SM020"},
    r"transformers_version, and image_uri are both None": {"SM005"},
    r"missing 1 required positional argument: 'py_version'": {"SM017", "LC07"},
    r"only supported with HuggingFace PyTorch 1\.9-1\.11": {"LC07"},
    r"Unsupported (huggingface version|base framework)": {"SM005", "LC02", "LC05", "LC22"},
    r"use either full version or shortened version": {"SM005"},
    r"'pytorchxla' is the only distribution mechanism": {"SM001", "SM002"},
    r"distributed training configuration is currently not compatible": {"SM002", "SM020"},
    r"Distributed training through PyTorch XLA is currently only supported when": {"SM003"},
    r"Expected instance of type .*TrainingCompilerConfig": {"LC14"},
    r"Unsupported Instance class": {"SM004"},
    r"is not supported by torch_distributed": {"SM002"},
    r"Overriding the image URI is currently not supported": {"SM007"},
    r"instance groups.*not supported": {"LC15", "LC05"},
    r"only supported with an ?instance of LocalSession": {"LC22"},
}
"""What the SDK says when it refuses a job, and the rules that find it beforehand: one of them has to."""

pytestmark = pytest.mark.real_sagemaker


@pytest.fixture(scope="module")
def migrated() -> dict[str, Migration]:
    return {case.id: migrate(case.source, path=case.path.name, target=SMTC) for case in LAUNCHERS}


@pytest.fixture(scope="module")
def answers(ask: Ask, migrated: dict[str, Migration]) -> Answers:
    """What the SDK makes of each launcher, `/before` and `/after`: in one go, since it takes seconds to be imported."""
    befores = {f"{case.id}/before": case.source for case in LAUNCHERS}
    return ask({**befores, **{f"{id}/after": migration.result for id, migration in migrated.items()}})


def is_left(migration: Migration) -> bool:
    """Whether the tool says that it can't make a job ready: the SDK may refuse it, or pick another image."""
    return any(note.rule in ("LC05", "LC22") or note.severity is Severity.ERROR for note in migration.notes)


def is_compiled(estimator: dict[str, Any]) -> bool:
    return "-trcomp-" in estimator.get("image", "")


@EACH
def test_a_migrated_job_is_taken_and_gets_the_compilers_image(
    case: Case, answers: Answers, migrated: dict[str, Migration]
) -> None:
    made = [each for each in answers[f"{case.id}/after"]["estimators"] if INCOMPLETE not in each.get("error", "")]
    others = [estimator for estimator in made if not is_compiled(estimator)]
    if others and case.id not in NOT_COMPILED:
        assert is_left(migrated[case.id]), others


@EACH
def test_what_the_sdk_refuses_is_found(case: Case, answers: Answers, migrated: dict[str, Migration]) -> None:
    migration = migrated[case.id]
    found = {each.rule for each in (*migration.changes, *migration.notes)}
    for estimator in answers[f"{case.id}/before"]["estimators"]:
        error = estimator.get("error", INCOMPLETE)
        if INCOMPLETE not in error and case.id not in NOT_COMPILED:
            reasons = [rules for reason, rules in REASONS.items() if re.search(reason, error)]
            assert reasons, error
            assert any(found & rules for rules in reasons), error


def test_launchers_are_run(answers: Answers) -> None:
    """None of those that are whole stops, and most estimators are of jobs that are compiled."""
    after = {id: answer for id, answer in answers.items() if id.endswith("/after")}
    stopped = {id: answer["failure"] for id, answer in after.items() if answer["failure"] and "launchers/" in id}
    assert stopped == {}
    made = [estimator for answer in after.values() for estimator in answer["estimators"]]
    assert len([estimator for estimator in made if is_compiled(estimator)]) > 100, len(made)


# --- what the SDK checks, one by one --------------------------------------------------------------------------------

BASE = {
    "entry_point": '"train.py"',
    "instance_count": "1",
    "instance_type": '"ml.p3.8xlarge"',
    "framework_version": '"1.13.1"',
    "py_version": '"py39"',
    "compiler_config": "TrainingCompilerConfig()",
    "distribution": '{"pytorchxla": {"enabled": True}}',
}
HUGGINGFACE = {
    "framework_version": None,
    "transformers_version": '"4.21.1"',
    "pytorch_version": '"1.11.0"',
    "py_version": '"py38"',
}


def launcher(changes: dict[str, str | None]) -> str:
    """A launcher for one job that the SDK takes, with some arguments changed or, by None, left out."""
    given = {keyword: value for keyword, value in {**BASE, **changes}.items() if value is not None}
    name = "HuggingFace" if "pytorch_version" in given else "PyTorch"
    lines = [f"    {keyword}={value},\n" for keyword, value in given.items()]
    return (
        f"from sagemaker.instance_group import InstanceGroup\n"
        f"from sagemaker.{name.lower()} import {name}, TrainingCompilerConfig\n\n"
        f"estimator = {name}(\n{''.join(lines)})\n"
    )


REFUSED: list[tuple[dict[str, str | None], set[str]]] = [
    ({"instance_type": '"ml.p2.8xlarge"'}, {"SM004"}),
    ({"instance_type": '"ml.p4de.24xlarge"'}, {"SM004"}),
    ({"instance_type": '"ml.p5.48xlarge"'}, {"SM004"}),
    ({"instance_type": '"ml.g4ad.8xlarge"'}, {"SM004"}),
    ({"distribution": '{"smdistributed": {"dataparallel": {"enabled": True}}}'}, {"SM002"}),
    ({"distribution": '{"smdistributed": {"modelparallel": {"enabled": True}}}'}, {"SM020"}),
    ({"distribution": '{"torchxla": {"enabled": True}}'}, {"SM001"}),
    ({"distribution": '{"pytorch_xla": {"enabled": True}}'}, {"SM001"}),
    ({"distribution": '{"torch_distributed": {"enabled": True}}'}, {"SM002"}),
    ({"distribution": '{"mpi": {"enabled": True}}'}, {"SM002"}),
    ({"compiler_config": None}, {"SM003"}),
    ({"compiler_config": '{"enabled": True}'}, {"LC14"}),
    ({"image_uri": '"763104351884.dkr.ecr.us-west-2.amazonaws.com/pytorch-training:1.13.1-gpu-py39"'}, {"SM007"}),
    ({"instance_type": None, "instance_count": None, "instance_groups": '[InstanceGroup("a", "ml.p3.8xlarge", 1)]'},
     {"LC15"}),
    ({"framework_version": '"1.12.1"'}, {"SM005"}),
    ({"framework_version": '"2.0"', "py_version": '"py310"'}, {"SM005"}),
    ({"py_version": '"py3"'}, {"SM005"}),
    ({"py_version": None}, {"SM005"}),
    ({**HUGGINGFACE, "py_version": None}, {"SM017"}),
    ({**HUGGINGFACE, "py_version": '"py36"'}, {"SM005"}),
    ({**HUGGINGFACE, "pytorch_version": '"1.13.1"', "transformers_version": '"4.26.0"'}, {"LC07"}),
    ({**HUGGINGFACE, "pytorch_version": '"1.8.1"', "transformers_version": '"4.10.2"'}, {"SM005"}),
    ({**HUGGINGFACE, "pytorch_version": '"1.10.2"', "transformers_version": '"4.17.0"'}, {"LC12"}),
]  # fmt: skip
"""Changes that make the SDK refuse the job, and the rules that find them."""
NOT_MENDED = {"SM004", "SM020"}


def test_the_base_is_taken(ask: Ask) -> None:
    found = ask({"PyTorch": launcher({}), "HuggingFace": launcher(dict(HUGGINGFACE))})
    assert [is_compiled(estimator) for answer in found.values() for estimator in answer["estimators"]] == [True, True]
    assert list(migrate(launcher({}), target=SMTC).changes) != []  # the debugger and the profiler


@pytest.fixture(scope="module")
def refused(ask: Ask) -> Answers:
    texts = {str(index): launcher(changes) for index, (changes, _) in enumerate(REFUSED)}
    return ask({**texts, **{f"{index}/after": migrate(text, target=SMTC).result for index, text in texts.items()}})


@pytest.mark.parametrize("index", range(len(REFUSED)), ids=lambda index: "-".join(map(str, REFUSED[index][0].items())))
def test_each_check_of_the_sdk_has_its_rule(index: int, refused: Answers) -> None:
    changes, rules = REFUSED[index]
    before, after = (refused[name]["estimators"] for name in (str(index), f"{index}/after"))
    assert "error" in before[0], before
    migration = migrate(launcher(changes), target=SMTC)
    assert rules <= {each.rule for each in (*migration.changes, *migration.notes)}
    if not rules & NOT_MENDED:
        assert [is_compiled(estimator) for estimator in after] == [True], after
