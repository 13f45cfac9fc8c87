"""Every edit says what it rests on: the chain of a value, what a library's name means, where a name gets its value."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from codemods.kit.targets import Target
from migrate.cli import main
from migrate.pipeline import migrate
from tests.evidence_share import count
from tests.goldens import cases

TARGET = Target.parse("torch-xla==2.9")
SOURCE = """\
import os

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader


def main(gpu):
    dist.init_process_group("nccl")
    torch.backends.cudnn.benchmark = True
    model = DDP(torch.nn.Linear(2, 2).cuda(gpu))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for x in DataLoader(torch.zeros(8, 2), pin_memory=True):
        optimizer.zero_grad()
        model(x.to(gpu)).sum().backward()
        optimizer.step()


main(int(os.environ["LOCAL_RANK"]))
"""


@pytest.mark.parametrize(
    ("line", "evidence"),
    [
        (10, "`dist.init_process_group` is torch.distributed.init_process_group: `dist` of line 4"),
        (11, "`torch.backends.cudnn.benchmark` is torch.backends.cudnn.benchmark: `torch` of line 3"),
        (14, "DataLoader(...) at line 14"),
        (16, "`gpu` gets its value at line 9"),
        (17, "torch.optim.SGD(...) at line 13"),
    ],
)
def test_an_edit_says_what_it_rests_on(line: int, evidence: str) -> None:
    changes = migrate(SOURCE, path="train.py", target=TARGET).changes
    assert any(evidence in change.evidence for change in changes if change.line == line), [
        (change.message, change.evidence) for change in changes if change.line == line
    ]


def test_nine_of_ten_edits_of_whole_scripts_have_evidence() -> None:
    edits, told = count(case for case in cases("scripts"))
    assert told.total() >= 0.9 * edits.total(), sorted((edits - told).items())


def test_why_a_line_is_edited(tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    script.write_text(SOURCE)
    said = CliRunner().invoke(main, ["facts", "--why", "10", str(script)]).output
    assert "TC511 exact: torch_xla's launcher started the processes" in said
    assert "  because `dist.init_process_group` is torch.distributed.init_process_group" in said
    assert "nearest lines are" in CliRunner().invoke(main, ["facts", "--why", "15", str(script)]).output
    assert CliRunner().invoke(main, ["facts", "--why", "1", str(tmp_path)]).exit_code == 2
