"""What the judge must not say of programs of several parts, beside the fault of the same kind that he must say."""

from __future__ import annotations

from textwrap import dedent

import pytest

from codemods.kit.targets import Target
from migrate.engine.judge import judge


def said(files: dict[str, str], original: dict[str, str] | None = None, target: str = "torch-xla==2.9") -> list[str]:
    """What the judge says of a program: `file:line: message`."""
    texts = {path: dedent(text) for path, text in files.items()}
    before = {path: dedent(text) for path, text in original.items()} if original is not None else None
    found = judge(texts, before, target=Target.parse(target))
    return [f"{one.path}:{one.line}: {one.message}" for one in (*found.violated, *found.open)]


_TRAIN = """
    import torch, torch_xla, torch.nn as nn
    from data import dataset

    def _mp_fn(index):
        device = torch_xla.device()
        net = nn.Linear(4, 2).to(device)
        optimizer = torch.optim.SGD(net.parameters(), 0.1)

    if __name__ == "__main__":
        {before}
        torch_xla.launch(_mp_fn)
        {after}
"""
_SHOW = """
    import torch.multiprocessing as mp

    def main():
        mp.set_start_method("spawn")
        worker = mp.Process(target=print)
        worker.start()

    if __name__ == "__main__":
        main()
"""


def test_a_start_method_is_set_once_in_a_script_that_no_launcher_of_another_starts() -> None:
    """The scripts of a program are started one by one."""
    files = {"a_train.py": _TRAIN.format(before="pass", after="pass"), "show.py": _SHOW}
    assert not [one for one in said(files) if "start method" in one]
    again = _TRAIN.replace("def _mp_fn(index):", "def _mp_fn(index):\n        torch.multiprocessing.set_start_method('spawn')")
    found = said({"a_train.py": again.format(before="pass", after="pass"), "show.py": _SHOW})
    assert [one for one in found if "start method" in one and one.startswith("a_train.py")], found


_ALIGNED = """
    import argparse, torch, torch_xla, torch.nn as nn
    from data import batches

    class Padded(nn.Module):
        def __init__(self, wide, graph):
            super().__init__()
            self.wide, self.graph = wide, graph

        def forward(self, x):
            if self.wide > 4:
                x = torch.cat([x, {zeros}], dim=1)
            return torch.einsum("hi,bi->bh", self.graph, x)

    parser = argparse.ArgumentParser()
    parser.add_argument("--cuda", action="store_true")
    parser.add_argument("--wide", type=int)
    args = parser.parse_args()
    device = torch_xla.device() if args.cuda else torch.device("cpu")
    net = nn.Sequential(nn.Linear(4, 4), Padded(args.wide, torch.rand(4, 4).to(device))).to(device)
    for x in batches:
        print(net(torch.rand(4, 4).to(device)))
"""


def test_parts_of_a_list_are_where_the_option_puts_them() -> None:
    """`torch.cat([x, zeros])`: on the host as x is, on the accelerator as x is."""
    beside = _ALIGNED.format(zeros="torch.zeros([x.size(0), self.wide - 4]).to(x)")
    assert not [one for one in said({"run.py": beside}) if "host" in one]
    left = _ALIGNED.format(zeros="torch.zeros([4, 4])")
    assert [one for one in said({"run.py": left}) if "a tensor on the host meets" in one]
