"""What a migration owes its original: each obligation is broken in the migrated program, and then in both alike."""

from __future__ import annotations

import pytest

from tests.judged.pairs import said


def test_a_right_migration_is_not_spoken_of() -> None:
    assert not said()


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("in range(epochs):", "in range(epochs + (rank == 0)):", "how often this goes round"),
        ("enumerate(loader)", "enumerate(itertools.islice(loader, 2 + rank))", "how often this goes round"),
        ("batch_size=8", "batch_size=8 * (1 + (rank == 0))", "how often this goes round"),
        ("loss.backward()", "loss.backward()\n            if time.time() > 9: break", "those wait for the others"),
        ("loss.backward()", "loss.backward()\n            if os.path.exists('x'): return", "those wait for the others"),
        ("optimizer.zero_grad()", "if random.random() < 0.1: continue", "chance decides"),
        ("for epoch in", "if rank != 0: raise SystemExit\n    for epoch in", "those wait for the others"),
        ("for epoch in", "assert rank < 1\n    for epoch in", "those wait for the others"),
        ("optimizer.step()", "match rank:\n                case 0: xm.optimizer_step(optimizer)", "the rank decides"),
    ],
)
def test_all_processes_go_the_same_way(old: str, new: str, words: str) -> None:
    """Each process would be waited for by the others; where the original's was too, the migration owes nothing."""
    found = said((old, new))
    assert any(words in one for one in found), found
    if "xm." not in new:
        assert not [one for one in said((old, new), both=True) if words in one]


def test_a_launcher_of_torch_xla_sets_no_rank() -> None:
    asked = said(("if xr.global_ordinal() == 0:", 'if os.environ.get("RANK", "0") == "0":'))
    assert any("all processes do torch.save" in one for one in asked)
    set_before = ("for epoch in", 'os.environ["RANK"] = str(rank)\n    for epoch in')
    assert not said(("if xr.global_ordinal() == 0:", 'if os.environ.get("RANK", "0") == "0":'), set_before)
