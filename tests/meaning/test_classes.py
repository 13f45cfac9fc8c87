"""Classes of programs: optimizers of their own, named children, attributes from keywords."""

from tests.meaning.programs import gradients, run, said


def test_an_optimizer_with_a_step_of_its_own_steps() -> None:
    execution = run(
        """
        import torch
        class LARS(torch.optim.Optimizer):
            def __init__(self, params, lr):
                super().__init__(params, dict(lr=lr))
            @torch.no_grad()
            def step(self):
                for group in self.param_groups:
                    for p in group["params"]:
                        p.add_(p.grad, alpha=-group["lr"])
        net = torch.nn.Linear(1, 1).to("xla")
        optimizer = LARS(net.parameters(), 0.1)
        net(torch.ones(1, 1, device="xla")).sum().backward()
        optimizer.step()
        """
    )
    assert gradients(execution) == {"local"}
    assert not said(execution)


def test_an_optimizer_around_another_steps_once() -> None:
    execution = run(
        """
        import torch
        class Logged(torch.optim.SGD):
            def step(self, closure=None):
                print("step")
                return super().step(closure)
        net = torch.nn.Linear(1, 1)
        Logged(net.parameters(), 0.1).step()
        """
    )
    assert len(execution.record.of("step")) == 1


def test_children_of_a_module_dict_are_attributes() -> None:
    execution = run(
        """
        import torch.nn as nn
        from collections import OrderedDict
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                rest = nn.ModuleList([nn.Linear(1, 1) for _ in range(3)])
                self.parts = nn.ModuleDict(dict(first=nn.Linear(1, 1), rest=rest))
                self.tail = nn.Sequential(OrderedDict([("last", nn.Linear(1, 1))]))
            def forward(self, x):
                x = self.parts.first(x)
                for one in self.parts.rest:
                    x = one(x)
                return self.tail.last(x)
        import torch
        net = Net().to("xla")
        net(torch.ones(1, 1, device="xla")).sum().backward()
        """
    )
    assert not said(execution)
    (backward,) = execution.record.of("backward")
    assert {site.line for site in backward.about[0]} == {7, 8, 9}


def test_what_a_library_class_may_have_is_not_said_to_lack_it_but_a_wrappers_attribute_is() -> None:
    execution = run(
        """
        import torch.nn as nn
        net = nn.Transformer()
        net.encoder(1)
        net.module.encoder(1)
        class Own(nn.Module):
            pass
        Own().encoder
        """
    )
    assert said(execution) == [
        (5, "`.module` is asked of Leaf, which has none"),
        (8, "`.encoder` is asked of Own, which has none"),
    ]


def test_attributes_set_from_keywords_that_are_not_known() -> None:
    execution = run(
        """
        import json
        class Settings:
            def __init__(self, **given):
                for name, value in given.items():
                    self[name] = value
            def __setitem__(self, name, value):
                setattr(self, name, value)
        settings = Settings(**json.loads("{}"))
        print(settings.rate.start)
        """
    )
    assert not said(execution)


def test_a_function_of_the_program_by_a_name_that_is_not_known() -> None:
    execution = run(
        "train.py",
        """
        import argparse, torch, models
        args = argparse.ArgumentParser().parse_args()
        net = models.__dict__[args.arch]()
        net.to("xla")
        optimizer = torch.optim.SGD(net.parameters(), 0.1)
        net(torch.ones(1, 1, device="xla")).sum().backward()
        optimizer.step()
        """,
        "models.py",
        """
        import torch.nn as nn
        def small():
            return nn.Linear(1, 1)
        def large():
            return nn.Sequential(nn.Linear(1, 1), nn.Linear(1, 1))
        """,
    )
    assert not said(execution)
    assert gradients(execution) == {"local"}


def test_tied_parameters_that_are_tied_again_after_the_move() -> None:
    tied = """
        import torch, torch.nn as nn
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.first, self.last = nn.Linear(1, 1), nn.Linear(1, 1)
                self.last.weight = self.first.weight
            def forward(self, x):
                return self.last(self.first(x))
        net = Net().to("xla")
        {}
        optimizer = torch.optim.SGD(net.parameters(), 0.1)
        net(torch.ones(1, 1, device="xla")).sum().backward()
        optimizer.step()
        """
    assert not said(run(tied.format("net.last.weight = net.first.weight")))
    messages = [message for _, message in said(run(tied.format("pass")))]
    assert messages == ["two parameters that were one before the move are trained apart"]


def test_each_of_many_modules_is_gone_through() -> None:
    execution = run(
        """
        import torch, torch.nn as nn
        class Scaled(nn.Module):
            def __init__(self):
                super().__init__()
                self.scale = None
            def forward(self, x):
                assert self.scale is not None
                return x * self.scale
        net = nn.ModuleList()
        for i in range(3):
            net.add_module("part %d" % i, nn.Sequential(nn.Linear(1, 1), nn.ReLU(), Scaled()))
        for one in net.modules():
            if one.__class__.__name__ == "Scaled":
                one.scale = torch.ones(1)
        loss = sum([one(torch.ones(1, 1)) for one in net])
        loss.sum().backward()
        """
    )
    assert not said(execution)
    assert execution.record.of("backward")
