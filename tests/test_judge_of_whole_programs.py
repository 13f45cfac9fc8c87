"""What the judge must not say of programs of several parts, beside the fault of the same kind that he must say."""

from __future__ import annotations

from textwrap import dedent

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
    sets = "def _mp_fn(index):\n        torch.multiprocessing.set_start_method('spawn')"
    again = _TRAIN.replace("def _mp_fn(index):", sets)
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


_NETS = """
    import torch.nn as nn

    class One(nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = nn.Linear(4, 1)

        def forward(self, x):
            return self.layer(x)

    class Two(One):
        pass
"""
_PICKED = """
    import torch, yaml, nets
    from data import dataset
    from torch.utils.data import DataLoader
    {imports}
    config = yaml.safe_load(open("config.yml"))
    device = {device}
    net = nets.__dict__[config["name"]]().to(device)
    optimizer = torch.optim.SGD(net.parameters(), 0.1)
    loader = DataLoader(dataset, batch_size=4)
    {loader}
    for i, x in enumerate(loader):
        {batch}
        {clear}
        {scale}(net(x).mean()){end}.backward()
        {scale}(net(-x).mean()){end}.backward()
        {step}
"""


def test_a_network_that_is_not_picked_has_gradients_that_no_loss_of_the_other_adds_to() -> None:
    def program(clear: str, cuda: bool) -> dict[str, str]:
        text = _PICKED.format(
            imports="scaler = torch.cuda.amp.GradScaler()" if cuda else "import torch_xla\n"
            "    import torch_xla.core.xla_model as xm, torch_xla.distributed.parallel_loader as pl",
            device='torch.device("cuda")' if cuda else "torch_xla.device()",
            loader="" if cuda else "loader = pl.MpDeviceLoader(loader, device)",
            batch="x = x.to(device)" if cuda else "",
            clear=clear,
            scale="scaler.scale" if cuda else "",
            end="",
            step="scaler.step(optimizer); scaler.update()" if cuda else "xm.optimizer_step(optimizer)",
        )
        return {"train.py": text, "nets.py": _NETS}

    each, fourth = "net.zero_grad()", "net.zero_grad() if i % 4 == 0 else None"
    words = "adds up the gradients of several batches"
    assert not [one for one in said(program(each, False), program(each, True)) if words in one]
    assert not [one for one in said(program(fourth, False), program(fourth, True)) if words in one]
    assert [one for one in said(program(each, False), program(fourth, True)) if words in one]


_WRAPPED = """
    import torch, torch_xla, torch_xla.core.xla_model as xm, torch.nn as nn

    class Lookahead(torch.optim.Optimizer):
        def __init__(self, base):
            self.base = base
            self.param_groups = {groups}

        def step(self, closure=None):
            return self.base.step(closure)

    def _mp_fn(index):
        net = nn.Linear(4, 2).to(torch_xla.device())
        xm.broadcast_master_param(net)
        optimizer = Lookahead(torch.optim.SGD(net.parameters(), 0.1))
        for x in range(3):
            net(torch.ones(4, device=torch_xla.device())).sum().backward()
            xm.optimizer_step(optimizer, barrier=True)

    torch_xla.launch(_mp_fn)
"""


def test_an_optimizer_that_shares_the_groups_of_another_has_its_gradients_averaged() -> None:
    shares = said({"train.py": _WRAPPED.format(groups="self.base.param_groups")})
    assert not [one for one in shares if "averages" in one or "stepped as each" in one], shares
    none = said({"train.py": _WRAPPED.format(groups="[]")})
    assert [one for one in none if "nothing averages them" in one], none


_WRITTEN = """
    import torch, torch_xla, torch.nn as nn

    net = nn.Linear(4, 2).to(torch_xla.device())
    optimizer = torch.optim.SGD(net.parameters(), 0.1)
    for x in range(3):
        x = torch.ones(4, device=torch_xla.device())
        chosen = torch.bernoulli(torch.full(x.shape, 0.5)).bool(){there}
        chosen[x == 1.0] = False
        net(x * chosen).sum().backward()
        optimizer.step()
        torch_xla.sync()
"""


def test_a_tensor_of_the_host_is_not_written_through_a_mask_of_the_accelerator() -> None:
    message = "written at places that a tensor on the accelerator gives"
    assert not [one for one in said({"train.py": _WRITTEN.format(there=".to(x.device)")}) if message in one]
    assert [one for one in said({"train.py": _WRITTEN.format(there="")}) if message in one]
