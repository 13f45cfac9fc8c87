"""How linking grows with the number of files: `python -m tests.linking_benchmark [100 1000 10000]`.

Generated projects: each package has a script that builds loader, model and optimizer and hands them to an engine, which
hands them to a step function of a shared module; every engine also calls the next package's. Prints the seconds of
reading (parsing and summarising, one process), of joining the summaries and spreading the values, of the facts for
every file, and the size of a summary.
"""

from __future__ import annotations

import pickle
import sys
import time
from collections.abc import Iterator

from migrate.linking import Linked
from migrate.pipeline import summarise

ENTRY = """\
import torch
from package{n}.data import make_loader
from package{n}.engine import fit
from shared.scaling import Scaler

def main():
    model = torch.nn.Linear(4, 2).cuda()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    fit(model, make_loader(8), optimizer, Scaler())

if __name__ == "__main__":
    main()
"""
ENGINE = """\
import torch
from package{next}.engine import fit as go_on

def fit(model, loader, optimizer, scaler):
    for x, y in loader:
        loss = torch.nn.functional.cross_entropy(model(x.cuda()), y.cuda())
        scaler(loss, optimizer)
    if len(loader) > 100:
        go_on(model, loader, optimizer, scaler)
"""
DATA = """\
import torch

def make_loader(batch_size):
    data = torch.utils.data.TensorDataset(torch.randn(64, 4), torch.randint(0, 2, (64,)))
    return torch.utils.data.DataLoader(data, batch_size=batch_size, pin_memory=True)
"""
SHARED = """\
import torch

class Scaler:
    def __init__(self):
        self.scaler = torch.cuda.amp.GradScaler()

    def __call__(self, loss, optimizer):
        self.scaler.scale(loss).backward()
        self.scaler.step(optimizer)
        self.scaler.update()
"""


def sources(files: int) -> Iterator[tuple[str, str]]:
    """A project of about as many files: path and text."""
    packages = max(1, (files - 2) // 3)
    yield "shared/__init__.py", ""
    yield "shared/scaling.py", SHARED
    for n in range(packages):
        yield f"main{n}.py", ENTRY.format(n=n)
        yield f"package{n}/engine.py", ENGINE.format(next=(n + 1) % packages)
        yield f"package{n}/data.py", DATA


def measure(files: int) -> str:
    """One row of the table."""
    texts = dict(sources(files))
    began = time.perf_counter()
    summaries = {path: summary for path, text in texts.items() if (summary := summarise(text)) is not None}
    read = time.perf_counter()
    linked = Linked(summaries)
    joined = time.perf_counter()
    steps = sum(len(linked.links(path).steps) for path in summaries)
    done = time.perf_counter()
    size = len(pickle.dumps(summaries)) / len(summaries)
    assert steps == sum(path.endswith("engine.py") for path in summaries)
    return (
        f"{len(summaries):7,} {read - began:9.2f} {joined - read:9.3f} {(joined - read) / len(summaries) * 1e6:9.0f} "
        f"{done - joined:9.3f} {size:9.0f}"
    )


def main() -> None:
    """Print the table."""
    print(f"{'files':>7} {'read s':>9} {'link s':>9} {'us a file':>9} {'facts s':>9} {'bytes':>9}")
    for files in map(int, sys.argv[1:] or ("100", "1000", "10000")):
        print(measure(files), flush=True)


if __name__ == "__main__":
    main()
