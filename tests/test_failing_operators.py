"""The measured list of operators that fail: what stands in it for each target, and what does not."""

from __future__ import annotations

import pytest

from codemods.kit.failing import failing
from codemods.kit.targets import ALL, Target

COMMON = {"add", "matmul", "cat", "where", "gather", "nn.functional.relu", "nn.functional.conv2d", "add_", "copy_",
          "nn.Linear", "nn.LSTM", "nn.CrossEntropyLoss", "nn.MultiheadAttention", "fft.rfft", "einsum"}  # fmt: skip


@pytest.mark.parametrize("target", ALL, ids=str)
def test_what_every_step_calls_fails_nowhere(target: Target) -> None:
    known = {"fft.rfft"} if target.version < (2, 0) else set()  # its gradient takes a view that the host cannot make
    assert COMMON & failing(target.version).keys() <= known
    assert "istft" in failing(target.version)


@pytest.mark.parametrize("name", ["stft", "fill_diagonal_"])
def test_what_fails_on_the_older_ones(name: str) -> None:
    assert all(name in failing(version) for version in ((1, 11), (1, 13), (2, 1)))
    assert not any(name in failing(version) for version in ((2, 5), (2, 9)))
