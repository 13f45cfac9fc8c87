"""What several paths leave in one place: lists, dependencies, and what is done with them afterwards."""

from tests.meaning.programs import gradients, kinds, run, said


def test_a_list_that_only_one_path_fills_is_a_list() -> None:
    execution = run(
        """
        import torch, torch.nn as nn
        from options import flag
        layers = []
        if flag:
            layers.append(nn.Linear(1, 1))
        more = layers + [nn.Linear(1, 1)]
        net = nn.Sequential(*more).to(torch.device("xla"))
        optimizer = torch.optim.SGD(net.parameters(), 0.1)
        net(torch.ones(1, 1, device="xla")).sum().backward()
        optimizer.step()
        """
    )
    assert not said(execution)
    assert "trouble" not in kinds(execution)
    assert gradients(execution) == {"local"}


def test_a_tensor_changed_on_one_path_depends_on_both() -> None:
    execution = run(
        """
        import torch
        from options import flag
        net = torch.nn.Linear(1, 1)
        total = torch.Tensor(1)
        if flag:
            total += net(torch.ones(1))
        total.sum().backward()
        """
    )
    assert "trouble" not in kinds(execution)
    (backward,) = execution.record.of("backward")
    assert backward.about[0]


def test_an_operand_that_is_here_or_there() -> None:
    execution = run(
        """
        import torch
        from options import flag
        net = torch.nn.Linear(1, 1).to("xla")
        data = torch.ones(3, 1)
        if flag:
            data = data.to("xla")
        total = torch.zeros(3, 1)
        total += data
        net(data)
        """
    )
    assert "trouble" not in kinds(execution)
    assert [message for _, message in said(execution)] == ["a tensor on the host goes into a module on the accelerator"]


def test_one_entry_that_is_too_much_does_not_end_the_others() -> None:
    endless = (
        "def f(n):\n    "
        + "\n    ".join(f"if n == {n}: x = {n}" for n in range(40))
        + "\n    return [f(n) for n in range(3)]\n"
    )
    endless += (
        "for i in range(3):\n    for j in range(3):\n        for k in range(3):\n            f(i), f(j), f(k)\n" * 20
    )
    execution = run(
        "large.py",
        endless,
        "train.py",
        """
        import torch
        net = torch.nn.Linear(1, 1)
        torch.optim.SGD(net.parameters(), 0.1).step()
        """,
    )
    assert execution.spent
    assert execution.record.of("spent")[0].site.path == "large.py"
    assert execution.record.of("step")


def test_what_is_done_to_one_of_several_networks_is_not_half_done_to_the_others() -> None:
    execution = run(
        """
        import argparse, sys, torch, torch.nn as nn
        args = argparse.ArgumentParser().parse_args()
        def network(kind):
            if kind == "a":
                return nn.Linear(1, 1)
            elif kind == "b":
                return nn.Linear(2, 1)
            elif kind == "c":
                return nn.Linear(3, 1)
            sys.exit("which?")
        if args.resume:
            net = torch.load("net.pt", map_location="cpu")["net"]
        else:
            net = network(args.kind)
        net.to("xla")
        optimizer = torch.optim.SGD(net.parameters(), 0.1)
        net(torch.ones(1, 1, device="xla")).sum().backward()
        optimizer.step()
        """
    )
    assert not said(execution)


def test_an_object_made_on_a_path_is_whole_there() -> None:
    execution = run(
        """
        import argparse, torch, torch.nn as nn
        args = argparse.ArgumentParser().parse_args()
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.last = nn.Linear(1, 1)
            def forward(self, x):
                return self.last(x)
        def network():
            if args.kind == "a":
                net, name = Net(), "a"
            elif args.kind == "b":
                net, name = Net(), "b"
            else:
                raise SystemExit
            return net, name
        if args.resume:
            net = Net()
        else:
            net, name = network()
        net.to("xla")
        for epoch in range(10):
            net(torch.ones(1, 1, device="xla")).sum().backward()
        """
    )
    assert not said(execution)


def test_an_object_of_before_a_branch_is_changed_on_one_path_only() -> None:
    execution = run(
        """
        import argparse
        args = argparse.ArgumentParser().parse_args()
        class Thing:
            pass
        made = Thing()
        if args.more:
            made.extra = 1
            del made.extra
        made.extra
        """
    )
    assert [line for line, _ in said(execution)] == [10]
