"""Files that a script writes: which, what a checkpoint holds, what a log says. Needs no torch."""

from __future__ import annotations

from dataclasses import replace

import pytest

from migrate.smoke.compare import Tolerance
from migrate.smoke.files import find_in_files
from migrate.smoke.record import Parameter, Run, Side, Written
from tests.smoke.test_ends import TRAINED, run_of, value


def wrote(*files: Written, side: Side = Side.CUDA) -> Run:
    return run_of(replace(TRAINED, files=files), side)


def kinds(original: Written, migrated: Written | None, noise: Written | None = None) -> list[tuple[str, bool]]:
    files = (migrated,) if migrated is not None else ()
    found, share = find_in_files(
        wrote(original), wrote(noise or original), wrote(*files, side=Side.XLA), Tolerance(each={})
    )
    assert share.of == 1
    return [(finding.kind, finding.error) for finding in found]


SAVED = Written("runs/model.pt", (value("model.fc.weight"), value("epoch")))


def test_the_same_file_is_no_finding() -> None:
    assert kinds(SAVED, SAVED) == []


@pytest.mark.parametrize(
    ("other", "kind"),
    [
        pytest.param(None, "file-missing", id="not written"),
        pytest.param(replace(SAVED, path="model.pt"), "file-missing", id="elsewhere"),
        pytest.param(replace(SAVED, bound=True), "checkpoint-bound", id="tensors of the device"),
        pytest.param(replace(SAVED, values=(value("model.fc.weight"),)), "checkpoint-keys", id="a key less"),
        pytest.param(replace(SAVED, values=(value("model.fc.weight", 9.0), value("epoch"))), "checkpoint", id="stale"),
        pytest.param(replace(SAVED, values=None), "checkpoint", id="no checkpoint"),
    ],
)
def test_another_checkpoint_is_an_error(other: Written | None, kind: str) -> None:
    assert kinds(SAVED, other) == [(kind, True)]


def test_keys_without_the_wrapper_are_told_as_a_warning() -> None:
    assert kinds(replace(SAVED, values=(value("module.fc.weight"),)), replace(SAVED, values=(value("fc.weight"),))) == [
        ("checkpoint-keys", False)
    ]


def test_the_state_of_a_gradient_scaler_may_be_missing() -> None:
    original = replace(SAVED, values=(value("model.fc.weight"), value("scaler.scale"), value("scaler._growth_tracker")))
    assert kinds(original, replace(SAVED, values=(value("model.fc.weight"),))) == []


def test_names_by_the_clock_are_compared_without_their_digits() -> None:
    first, second = (replace(SAVED, path=f"runs/{number}/model.pt") for number in ("1763856000", "1763856007"))
    assert kinds(first, replace(SAVED, path="runs/1763856999/model.pt"), second) == []


def test_a_value_that_two_native_runs_do_not_share_says_nothing() -> None:
    clock = replace(SAVED, values=(value("seconds", 7.0),))
    assert (
        kinds(replace(SAVED, values=(value("seconds"),)), clock, replace(SAVED, values=(value("seconds", 5.0),))) == []
    )


def test_figures_of_a_log_are_compared() -> None:
    log = Written("log.csv", text="step 1 loss 0.5\nstep 2 loss 0.25\n")
    assert kinds(log, log) == []
    assert kinds(log, replace(log, text="step 1 loss 0.5\nstep 2 loss 0.75\n")) == [("file", True)]


def test_what_could_not_be_read_is_not_counted() -> None:
    unread = Written("model.pt", unread="UnpicklingError")
    found, share = find_in_files(wrote(unread), wrote(unread), wrote(unread, side=Side.XLA), Tolerance())
    assert (found, str(share)) == ([], "0 of 1")


def test_words_are_told_by_their_kind() -> None:
    word = Parameter((), 0.0, (), "config.name", "str")
    assert kinds(replace(SAVED, values=(word,)), replace(SAVED, values=(replace(word, dtype="int"),))) == [
        ("checkpoint-keys", True)
    ]
