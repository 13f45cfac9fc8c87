"""Functions that nobody calls: what they are given is not known, and that stays quiet."""

from tests.meaning.programs import kinds, run, said


def test_globals_of_a_function_that_nobody_calls() -> None:
    execution = run(
        """
        def train(loader):
            for x in loader:
                loss = net(x).sum()
                loss.backward()
                optimizer.step()
        """
    )
    assert not said(execution)
    assert "turn" in kinds(execution)


def test_a_name_of_its_own_is_still_missed() -> None:
    execution = run(
        """
        def train(net):
            net.train()
            for x in []:
                pass
            loss.backward()
            loss = net(1)
        """
    )
    assert said(execution) == [(6, "`loss` is not bound here")]


def test_text_that_is_executed_is_said() -> None:
    execution = run("size = 3\nexec(open('settings.py').read())\nprint(size, compile, hex(size))\n")
    assert not said(execution)
    assert [one.site.line for one in execution.record.of("text")] == [2]


def test_a_network_of_a_checkpoint_that_is_moved() -> None:
    execution = run(
        """
        import torch
        net = torch.load("net.pt", map_location="cpu")["net"]
        net.to("xla")
        data = torch.ones(3, 1, device="xla")
        print((net(data) == data).sum())
        """
    )
    assert not said(execution)


def test_many_large_functions_that_nobody_calls_are_one_thing_to_say() -> None:
    body = "    net.parameters()\n"
    body += "    for a in net.x:\n        for b in a:\n            for c in b:\n                net(c, a, b)\n" * 300
    execution = run("".join(f"def train{n}(net):\n{body}" for n in range(9)))
    assert len(execution.record.of("spent")) == 1
    assert execution.steps < 70_000


def test_what_another_method_sets_may_be_there() -> None:
    execution = run(
        """
        class Trainer:
            def feed(self, batch):
                self.batch = batch

            def step(self):
                self.batch.mean()
                self.none.mean()

        def main():
            Trainer().step()
        """
    )
    assert said(execution) == [(8, "`.none` is asked of Trainer, which has none")]
