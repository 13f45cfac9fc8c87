"""Migrations made by hand, so that what a plan says of them does not change with the codemods."""

from __future__ import annotations

from codemods.kit.rules import Change, Note, Safety, Severity
from codemods.kit.targets import Target
from migrate.bot.body import Proposal
from migrate.bot.origin import Origin
from migrate.migration import Migration, Status

COMMIT = "0123456789abcdef0123456789abcdef01234567"
HOSTILE = "</td></table><script>alert(1)</script> --> <!-- ]]> & \" ' \x00 \x1b[31m \u202e ` ``` | \\| \\ *b* _i_ "
HOSTILE += "[x](y) ![p](q) @someone #12 GH-3 https://evil.example www.evil.example &#35;7 ::error file=a::b %0A "
HOSTILE += "\n\n# heading\n- item\r\n"
SOURCE = """\
import torch

model = Net().cuda()
optimizer = torch.optim.SGD(model.parameters())
for x in loader:
    loss(model(x)).backward()
    optimizer.step()
if __name__ == "__main__":
    train()
"""
RESULT = """\
import torch
import torch_xla.core.xla_model as xm

device = xm.xla_device()
model = Net().to(device)
optimizer = torch.optim.SGD(model.parameters())
for x in loader:
    loss(model(x)).backward()
    xm.optimizer_step(optimizer)
if __name__ == "__main__":
    train()
"""
CHANGES = (
    Change("TC111", 3, Safety.EXACT, ".cuda() is .to(device)", "device"),
    Change("TC111", 3, Safety.EXACT, "a device for it", "device"),
    Change("TC401", 7, Safety.REVIEW, "steps through xm.optimizer_step", "optimizer_step"),
)
NOTE = Note("TC911", 4, Severity.ERROR, "a kernel of its own", "write it anew", "a book", "kernels")


def train(path: str = "train.py", changes: tuple[Change, ...] = CHANGES, notes: tuple[Note, ...] = ()) -> Migration:
    """A script with two edits that do what it did, and one to review."""
    return Migration(path, "smtc", Status.MIGRATED, SOURCE, RESULT, changes, notes)


def left(path: str, status: Status, reason: str, *notes: Note) -> Migration:
    """A script that stays as it is."""
    return Migration(path, "smtc", status, SOURCE, SOURCE, notes=notes, reason=reason)


def hostile(path: str) -> Migration:
    """A script whose every word wants to be more than that."""
    change = Change("TC401", 1, Safety.REVIEW, HOSTILE, "device")
    note = Note("TC911", 1, Severity.ERROR, HOSTILE, HOSTILE, "", "kernels")
    source, result = f"old = '''{HOSTILE}'''\n", f"new = '''{HOSTILE}'''\n"
    return Migration(path, "smtc", Status.MIGRATED, source, result, (change,), (note,))


def proposal(target: str = "smtc", **more: object) -> Proposal:
    """What the plans of the tests are for."""
    return Proposal(Origin("owner/name", COMMIT), Target.parse(target), "0.1.0", **more)  # type: ignore[arg-type]
