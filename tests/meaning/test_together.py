"""Collectives, and the conditions they stand under."""

from tests.meaning.programs import gradients, run, said

_START = """
import torch, torch_xla, torch_xla.core.xla_model as xm, torch_xla.runtime as xr
def train(rank):
    net = torch.nn.Linear(1, 1).to("xla")
    optimizer = torch.optim.SGD(net.parameters(), 0.1)
    def once(log):
        net(torch.ones(1, 1, device="xla")).sum().backward()
        xm.reduce_gradients(optimizer)
        optimizer.step()
"""


def test_both_arms_come_to_the_same_collective() -> None:
    body = "    if rank == 0:\n        once(print)\n    else:\n        once(None)\ntorch_xla.launch(train)\n"
    assert not said(run(_START + body))


def test_one_arm_comes_to_a_collective() -> None:
    for body in (
        "    if rank == 0:\n        once(print)\n",
        "    if rank == 0:\n        once(print)\n        once(print)\n    else:\n        once(None)\n",
    ):
        messages = [message for _, message in said(run(_START + body + "torch_xla.launch(train)\n"))]
        assert any("the rank decides which come here" in one for one in messages)


_READS = _START.replace("        optimizer.step()\n", """        for one in net.parameters():
            log(one.grad.norm().item())
        optimizer.step()
""")


def test_both_arms_read_what_was_reduced() -> None:
    body = "    if rank == 0:\n        once(print)\n    else:\n        once(None)\ntorch_xla.launch(train)\n"
    assert not said(run(_READS + body))


def test_one_arm_reads_more_of_what_was_reduced() -> None:
    body = """
    if rank == 0:
        once(print)
        print(net.weight.grad.sum().item())
    else:
        once(None)
torch_xla.launch(train)
"""
    messages = [message for _, message in said(run(_READS + body))]
    assert [one for one in messages if "on some processes executes" in one] == [
        ".item() on some processes executes a graph that holds a collective: the others do not come to it"
    ]


def test_gradients_of_one_of_two_optimizers_are_averaged() -> None:
    body = """
    from options import flag
    if flag:
        optimizer = torch.optim.Adam(net.parameters())
    else:
        optimizer = torch.optim.SGD(net.parameters(), 0.1)
    net(torch.ones(1, 1, device="xla")).sum().backward()
    xm.reduce_gradients(optimizer)
    optimizer.step()
torch_xla.launch(train)
"""
    execution = run(_START + body)
    assert not said(execution)
    assert gradients(execution) == {"averaged"}


def test_what_one_process_has_loaded_is_sent_by_all() -> None:
    body = """
    if rank == 0:
        net.weight = torch.nn.Parameter(torch.load("net.pt").to("xla"))
    for one in net.parameters():
        xm.collective_broadcast([one])
torch_xla.launch(train)
"""
    assert not any("the rank decides" in message for _, message in said(run(_START + body)))


_GUARD = """
import math
import torch, torch_xla, torch_xla.core.xla_model as xm, torch_xla.runtime as xr
import far

def train(rank):
    net = torch.nn.Linear(1, 1).to("xla")
    optimizer = torch.optim.SGD(net.parameters(), 0.1)
    for batch in far.loader():
        loss = far.criterion(net(batch))
        optimizer.zero_grad()
        loss.backward()
        {test}
            xm.optimizer_step(optimizer)
        torch_xla.sync()
torch_xla.launch(train)
"""


def _guarded(test: str) -> list[str]:
    return [one for _, one in said(run(_GUARD.format(test=test))) if "decides which come here" in one]


def test_a_loss_of_data_that_is_not_followed_decides_on_a_step() -> None:
    for test in (
        "if torch.isfinite(loss):",
        "if math.isfinite(loss.item()):",
        "value = {'loss': loss.item()}\n        if value['loss'] < 9:",
        "if max(loss.item(), 0.0) < 9:",
    ):
        assert _guarded(test), test
    for test in (
        "loss = xm.all_reduce('sum', loss)\n        if torch.isfinite(loss):",
        "xm.all_reduce('sum', [loss])\n        if loss.item() < 9:",
        "xm.reduce_gradients(optimizer)\n        if net.weight.grad.norm().item() < 9:",
        "if batch is not None:",
        "if far.flag:",
    ):
        assert not _guarded(test), test
