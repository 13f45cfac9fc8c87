"""The models are made once for all programs: what one program does to them is not there in the next."""

from __future__ import annotations

from tests.meaning.programs import run

PATCHED = """
import torch
import torch.nn as nn

class Mine(nn.Module):
    def forward(self, x):
        return undefined_name

nn.Linear = Mine
nn.Conv2d.forward = Mine.forward
import torchvision
model = nn.Linear(2, 2)
model(torch.zeros(2))
"""
PLAIN = """
import torch
import torch.nn as nn
import torchvision

model = nn.Sequential(nn.Linear(2, 2), nn.Conv2d(2, 2, 2))
model(torch.zeros(2))
"""


def test_what_a_program_does_to_a_library_ends_with_it() -> None:
    assert run(PATCHED).record.findings
    assert not run(PLAIN).record.findings
