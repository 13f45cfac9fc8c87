"""What the judge must not say of programs that are right, and what he says once of one cause."""

from textwrap import dedent

import pytest

from codemods.kit.targets import Target
from migrate.engine.judge import judge

_START = """
import torch, torch_xla, torch_xla.core.xla_model as xm, torch_xla.runtime as xr
import torch_xla.distributed.parallel_loader as pl
from torch.utils.data import DataLoader
from data import dataset
device = torch.device("xla")
loader = pl.MpDeviceLoader(DataLoader(dataset, batch_size=4), device)
"""


def _said(text: str, target: str = "torch-xla==2.9") -> list[str]:
    found = judge({"train.py": _START + dedent(text)}, target=Target.parse(target))
    return [f"{one.line}: {one.message}" for one in found.findings if one in found.violated + found.open]


def _norm(test: str) -> str:
    return f"""
    net = torch.nn.Sequential(torch.nn.Linear(1, 1), torch.nn.BatchNorm1d(1)).to(device)
    optimizer = torch.optim.SGD(net.parameters(), 0.1)
    for i, (x, y) in enumerate(loader):
        net.train()
        loss = (net(x) - y).pow(2).mean()
        {test}
        optimizer.zero_grad()
        loss.backward()
        xm.optimizer_step(optimizer)
    """


def test_batch_norm_in_eval_mode_is_no_matter_where_no_backward_comes_through_it() -> None:
    assert not _said(_norm("net.eval(); print(net(x))"))
    assert not _said(_norm("net.eval(); loss = loss + net(x).detach().mean()"))
    assert any("eval mode is trained through" in one for one in _said(_norm("net.eval(); loss = net(x).mean()")))


_ASKED = """
    def cycle(loader):
        while True:
            yield from loader
    net = torch.nn.Linear(1, 1).to(device)
    optimizer = torch.optim.SGD(net.parameters(), 0.1)
    for epoch in range(3):
        stream = {made}
        for {turn}:
            {fetch}
            optimizer.zero_grad()
            net(batch).mean().backward()
            xm.optimizer_step(optimizer)
"""


def test_batches_come_out_of_a_generator_or_beside_other_elements() -> None:
    """What hands the batches on asks the device loader for the next one: that executes the graph."""
    ways = (
        ("cycle({})", "i in range(100)", "batch = next(stream)"),
        ("{}", "i, batch in zip(range(100), stream)", "pass"),
        ("{}", "i, j, batch in zip(range(100), range(100), stream)", "pass"),
    )
    for made, turn, fetch in ways:
        assert not _said(_ASKED.format(made=made.format("loader"), turn=turn, fetch=fetch))
        several = _said(_ASKED.format(made=made.format("[torch.ones(1).to(device)] * 9"), turn=turn, fetch=fetch))
        assert any("nothing executes" in one for one in several), turn


_AGAIN = """try:
    batch = next(stream)
except StopIteration:
    stream = iter(loader)
    batch = next(stream)"""


def test_batches_are_asked_for_by_next() -> None:
    for fetch in ("batch = next(stream)", _AGAIN):
        body = fetch.replace("\n", "\n        ")
        assert not _said(f"""
    net = torch.nn.Linear(1, 1).to(device)
    optimizer = torch.optim.SGD(net.parameters(), 0.1)
    stream = iter(loader)
    i = 0
    while i < 100:
        {body}
        optimizer.zero_grad()
        net(batch[0]).mean().backward()
        xm.optimizer_step(optimizer)
        i += 1
    """)


_CLOSURE = """
import torch_xla.runtime as xr
from torch.utils.data.distributed import DistributedSampler
def work(index):
    torch.manual_seed(0)
    own = DataLoader(dataset, batch_size=4, sampler=DistributedSampler(dataset, xr.world_size(), xr.global_ordinal()))
    net = torch.nn.Linear(1, 1).to(device)
    optimizer = torch.optim.SGD(net.parameters(), 0.1)
    for x in pl.MpDeviceLoader(own, device):
        def closure():
            optimizer.zero_grad()
            loss = net(x).mean()
            loss.backward()
            {averaged}
            return loss
        xm.optimizer_step(optimizer, optimizer_args={{"closure": closure}})
if __name__ == "__main__":
    torch_xla.launch(work)
"""


def test_a_closure_averages_the_gradients_that_it_computes() -> None:
    """What `xm.optimizer_step` averages before it runs the closure is of no matter: the closure clears it."""
    assert not _said(_CLOSURE.format(averaged="xm.reduce_gradients(optimizer)"))
    assert any("nothing averages them" in one for one in _said(_CLOSURE.format(averaged="pass")))


_TURNS = """
def work(rank):
    if rank not in [-1, 0]:
        xm.rendezvous("turns")
    {between}
    if rank == {second}:
        xm.rendezvous("turns")
if __name__ == "__main__":
    torch_xla.launch(work)
"""


def test_a_rendezvous_by_turns() -> None:
    assert not _said(_TURNS.format(between="print(1)", second=0))
    assert _said(_TURNS.format(between="print(1)", second=1))
    assert _said(_TURNS.format(between="xm.all_reduce('sum', [torch.ones(1, device=device)])", second=0))


def test_a_list_that_is_filled_by_a_slice() -> None:
    assert not _said("""
    parts = [torch.ones(1, device=device) for _ in range(2)]
    parts[:] = list(torch.ones(2, device=device).unbind(0))
    print([one.item() for one in parts])
    """)


def test_a_number_of_a_checkpoint_is_compared() -> None:
    body = """
    best = torch.load("best.pt", map_location="cpu")["best"]
    score = torch.ones(1, device=device).mean()
    print({use})
    """
    assert not _said(body.format(use="score > best"))
    assert _said(body.format(use="torch.cat([score, best])"))


def test_an_optimizer_of_before_the_move_is_said_once() -> None:
    said = _said("""
    net = torch.nn.Linear(1, 1)
    optimizer = torch.optim.SGD(net.parameters(), 0.1)
    net.to(device)
    for x, y in loader:
        optimizer.zero_grad()
        (net(x) - y).pow(2).mean().backward()
        xm.optimizer_step(optimizer)
    """)
    assert len(said) == 1
    assert "of before the move" in said[0]


def test_a_network_on_the_host_is_said_once() -> None:
    said = _said("""
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.one, self.two = torch.nn.Linear(1, 1), torch.nn.Linear(1, 1)
        def forward(self, x):
            return self.one(x) + self.two(x)
    net = Net()
    print(net(torch.ones(1, 1, device=device)))
    """)
    assert len(said) == 1


def test_a_module_first_imported_on_a_path_that_ends_is_there_on_another() -> None:
    assert not _said("""
    net = torch.nn.Linear(1, 1).to(device)
    optimizer = torch.optim.SGD(net.parameters(), 0.1)
    for x, y in loader:
        optimizer.zero_grad()
        (net(x) - y).pow(2).mean().backward()
        xm.optimizer_step(optimizer)
        if dataset.done:
            import sys
            sys.exit(1)
            optimizer = torch.optim.Adam(net.parameters())
    """)


def test_an_open_file_is_no_tensor() -> None:
    found = judge({"train.py": _START + dedent(_FILES)}, target=Target.parse("torch-xla==2.9"))
    assert not [one.message for one in found.findings if "waits for the device" in one.message]


_FILES = """
    import csv, json
    net = torch.nn.Linear(1, 1).to(device)
    optimizer = torch.optim.SGD(net.parameters(), 0.1)
    for epoch in range(3):
        with open("speakers.json") as file:
            names = json.load(file)
        with open("log.csv", "w") as log:
            csv.writer(log).writerow([epoch])
            log.write("{}: {}".format(log.name, names["one"]))
        for x, y in loader:
            optimizer.zero_grad()
            net(x).mean().backward()
            xm.optimizer_step(optimizer)
"""


_SAVES = """
import torch, torch.distributed as dist, torch.multiprocessing as mp
from data import dataset
def keep(name):
    torch.save({}, name)
def work(rank, count):
    dist.init_process_group("nccl", rank=rank, world_size=count)
    net = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(1, 1).cuda())
    optimizer = torch.optim.SGD(net.parameters(), 0.1)
    if rank == 0:
        keep("one")
    for x in torch.utils.data.DataLoader(dataset):
        keep("all")
        optimizer.zero_grad()
        net(x).mean().backward()
        optimizer.step()
if __name__ == "__main__":
    mp.spawn(work, args=(4,), nprocs=4)
"""
_SAVED = """
import torch, torch_xla, torch_xla.core.xla_model as xm, torch_xla.distributed.parallel_loader as pl
from data import dataset
def keep(name):
    torch.save({}, name)
def work(rank):
    net = torch.nn.Linear(1, 1).to(torch_xla.device())
    xm.broadcast_master_param(net)
    optimizer = torch.optim.SGD(net.parameters(), 0.1)
    if xm.is_master_ordinal(local=False):
        keep("one")
    for x in pl.MpDeviceLoader(torch.utils.data.DataLoader(dataset), torch_xla.device()):
        keep("all")
        optimizer.zero_grad()
        net(x).mean().backward()
        xm.optimizer_step(optimizer)
if __name__ == "__main__":
    torch_xla.launch(work)
"""


def test_what_one_caller_has_done_by_all_processes_is_the_authors_and_not_what_another_has_done_by_one() -> None:
    def said(migrated: str) -> bool:
        found = judge({"train.py": migrated}, {"train.py": _SAVES}, target=Target.parse("torch-xla==2.9"))
        return any("all processes do torch.save" in one.message for one in found.findings)

    assert not said(_SAVED)
    assert said(_SAVED.replace("if xm.is_master_ordinal(local=False):", "if True:"))


@pytest.mark.parametrize(
    "collected",
    [
        "kept = [x for x, y in dataset]",
        "kept = []\nfor x, y in dataset:\n    kept.append(x)",
        "kept = []\nfor x, y in dataset:\n    kept = kept + [x]",
        "kept = []\nfor x, y in dataset:\n    kept += [x]",
        "kept = sorted(list(map(len, dataset)))",
        "kept = {}\nfor name, y in dataset:\n    kept[name] = y",
        "kept = [0] * dataset.size",
        "kept = []\nwhile dataset.more():\n    kept.append(dataset.next())",
        "kept = list(range(20)); kept = [one + 1 for one in kept]",
    ],
)
def test_how_much_an_unknown_number_of_iterations_has_collected_is_not_known(collected: str) -> None:
    text = f"{collected}\nassert len(kept) == 20\ntorch.nn.Linear(1, 1).to(device)(torch.ones(1, 1))\n"
    assert any("on the host" in one for one in _said(text))


def test_what_stands_in_for_a_part_of_torch_is_not_missed() -> None:
    original = dedent(_SCALED)
    migrated = _START + dedent("""
        net = torch.nn.Linear(1, 1).to(device)
        optimizer = torch.optim.SGD(net.parameters(), 0.1)
        for x, y in loader:
            optimizer.zero_grad()
            net(x).mean().backward()
            xm.optimizer_step(optimizer)
    """)
    found = judge({"train.py": migrated}, {"train.py": original}, target=Target.parse("torch-xla==2.9"))
    assert not [one.message for one in found.findings if "not done any more" in one.message]


_SCALED = """
    import torch
    from torch.utils.data import DataLoader
    from data import dataset
    try:
        from torch.cuda.amp import GradScaler
    except ImportError:
        class GradScaler:
            def scale(self, loss):
                return loss
            def step(self, optimizer):
                optimizer.step()
            def update(self):
                pass
    net = torch.nn.Linear(1, 1).cuda()
    optimizer = torch.optim.SGD(net.parameters(), 0.1)
    scaler = GradScaler()
    for x, y in DataLoader(dataset, batch_size=4):
        optimizer.zero_grad()
        scaler.scale(net(x.cuda()).mean()).backward()
        scaler.step(optimizer)
        scaler.update()
"""


def test_what_a_data_set_does_by_chance_is_in_no_graph() -> None:
    text = """
        import random
        import numpy as np
        class Mixed(torch.utils.data.Dataset):
            def __len__(self):
                return 8
            def __getitem__(self, at):
                x = np.stack(np.load(str(at)))
                return x[::-1] if random.random() < 0.5 else x
        net = torch.nn.Linear(1, 1).to(device)
        optimizer = torch.optim.SGD(net.parameters(), 0.1)
        for x in pl.MpDeviceLoader(DataLoader(Mixed(), batch_size=4), device):
            optimizer.zero_grad()
            net(x{0}).mean().backward()
            xm.optimizer_step(optimizer)
    """
    for chance, is_said in (("", False), (" if random.random() < 0.5 else x + 1", True)):
        found = judge({"train.py": _START + dedent(text.replace("{0}", chance))}, target=Target.parse("torch-xla==2.9"))
        assert any("chance" in one.message for one in found.findings) is is_said


def test_a_device_that_is_not_there_is_said_once_for_a_file() -> None:
    said = _said("""
        device = torch.device("cuda")
        net = torch.nn.Linear(1, 1)
        net.to(device)
        x = torch.ones(1).to(device)
        y = torch.ones(1).cuda()
    """)
    assert [one.partition(":")[0] for one in said if "which is not there" in one] == ["11", "13"]


def test_a_dict_of_many_tensors_that_is_moved_item_by_item() -> None:
    assert not _said("""
        class Frames(torch.utils.data.Dataset):
            def __getitem__(self, at):
                return {(side, scale): torch.ones(4) for side in "lr" for scale in range(5)}
        net = torch.nn.Linear(4, 1).to(device)
        optimizer = torch.optim.SGD(net.parameters(), 0.1)
        for batch in DataLoader(Frames(), batch_size=4):
            for key, value in batch.items():
                batch[key] = value.to(device)
            loss = net(torch.cat([batch["l", 2], batch["r", 3]])).mean()
            optimizer.zero_grad()
            loss.backward()
            xm.optimizer_step(optimizer, barrier=True)
    """)


def test_a_batch_of_unread_data_is_no_longer_where_it_was_when_its_items_moved() -> None:
    assert not _said("""
        net = torch.nn.Linear(4, 1).to(device)
        optimizer = torch.optim.SGD(net.parameters(), 0.1)
        for batch in DataLoader(dataset, batch_size=4):
            for key, value in batch.items():
                batch[key] = value.to(device)
            loss = net(torch.cat([batch["l"], batch["r"]])).mean()
            optimizer.zero_grad()
            loss.backward()
            xm.optimizer_step(optimizer, barrier=True)
    """)


def test_gradients_that_a_function_of_autograd_gets_may_be_anywhere() -> None:
    assert not _said("""
        class Gather(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                return tuple(xm.all_gather(x.unsqueeze(0)).unbind(0))
            @staticmethod
            def backward(ctx, *grads):
                every = torch.stack(grads)
                xm.all_reduce(xm.REDUCE_SUM, [every])
                return every[xr.global_ordinal()]
        net = torch.nn.Linear(1, 1).to(device)
        optimizer = torch.optim.SGD(net.parameters(), 0.1)
        for x, y in loader:
            optimizer.zero_grad()
            torch.cat(Gather.apply(net(x))).mean().backward()
            xm.optimizer_step(optimizer)
    """)


def test_gradients_of_parameters_that_nobody_hands_over_may_be_anywhere() -> None:
    assert not _said("""
        def gather(params):
            for param in params:
                if param.grad is not None:
                    xm.all_reduce(xm.REDUCE_SUM, [param.grad.data])
                    param.grad.data.div_(xr.world_size())
        net = torch.nn.Linear(1, 1).to(device)
        optimizer = torch.optim.SGD(net.parameters(), 0.1)
        for x, y in loader:
            optimizer.zero_grad()
            net(x).mean().backward()
            xm.optimizer_step(optimizer)
    """)
