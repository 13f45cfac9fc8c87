"""Training that following does not come to is said at its line, and what steps it is known by what it does."""

from __future__ import annotations

from textwrap import dedent

import pytest

from codemods.kit.meaning import execution
from migrate.engine.certificate import Certificate, Standing
from migrate.engine.correspondence import Lines
from migrate.engine.judge import judge
from migrate.files import read_text
from tests.goldens import ROOT, TARGETS

XLA = TARGETS["xla"]
HEAD = """
    import torch
    from torch import nn
    import torch_xla
    import torch_xla.core.xla_model as xm
    import engine
    device = torch_xla.device()
    net = nn.Linear(1, 1).to(device)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
"""
TRAINS = """
        for x in loader:
            optimizer.zero_grad()
            net(x.to(device)).mean().backward()
            optimizer.step()
            torch_xla.sync()
"""


def certificate(text: str) -> Certificate:
    return judge({"train.py": dedent(HEAD) + dedent(text)}, target=XLA)


def passed_over(certificate: Certificate) -> list[int]:
    return [one.line for one in certificate.open if "nothing of this training was judged" in one.message]


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        pytest.param(f"    def train(loader):{TRAINS}", [], id="public, so somebody may call it"),
        pytest.param(f"    def _train(loader):{TRAINS}\n    engine.run(_train)", [], id="handed to what is not read"),
        pytest.param(
            "    def make(loader):\n        def train():\n"
            "            net(loader.next()).mean().backward()\n            optimizer.step()\n"
            "        return engine.Loop(loader, first=0).of(lambda: train)",
            [12],
            id="made, and called by nobody who is read",
        ),
        pytest.param(f"    def _train(loader):{TRAINS}\n    _train(engine.loader())", [], id="called"),
        pytest.param(
            f"    def _train(loader, low=False):\n        if low:\n            loss.backward(){TRAINS}\n"
            "    _train(engine.loader())",
            [],
            id="an arm that never runs",
        ),
    ],
)
def test_each_backward_that_nothing_leads_to_is_open(text: str, lines: list[int]) -> None:
    found = certificate(text)
    assert passed_over(found) == lines
    unjudged = [one for one in found.loops if dict(one.obligations) == {"all that trains was followed": Standing.OPEN}]
    assert len(unjudged) == len(lines)
    assert all(one.trains for one in unjudged)


def test_training_that_comes_after_the_end_of_following_is_open(monkeypatch: pytest.MonkeyPatch) -> None:
    warm_up = "    for i in range(9):\n        net(torch.ones(1, device=device))\n"
    text = f"{warm_up}    def main(loader):{TRAINS}\n    main(engine.loader())"
    assert not passed_over(certificate(text))
    for bound in ("MAX_STEPS", "MAX_UNCALLED"):
        monkeypatch.setattr(execution, bound, 60)
    assert len(passed_over(certificate(text))) == 1


def test_a_plain_step_of_what_nobody_reads_averages_nothing() -> None:
    folder = ROOT / "projects" / "optimizer_by_config"
    before = {path.name: read_text(path) for path in folder.glob("*.py") if path.name.count(".") == 1}
    after = {path: read_text(folder / path.replace(".py", ".xla.py")) for path in ("train.py", "trainer.py")}
    assert not judge(before | after, before, target=XLA).violated
    plain = after["trainer.py"].replace(
        'xm.optimizer_step(self.optimizer["critic"])', 'self.optimizer["critic"].step()'
    )
    assert plain != after["trainer.py"]
    messages = [one.message for one in judge({**before, **after, "trainer.py": plain}, before, target=XLA).violated]
    assert any("nothing averages them over the processes" in message for message in messages)


@pytest.mark.parametrize(
    ("condition", "said"),
    [("self.opt['rank'] != 0", True), ("not chief()", True), ("path is None", False), ("remaining > best", False)],
)
def test_a_save_below_an_early_return_is_known(condition: str, said: bool) -> None:
    """xm.save of torch_xla 1.x waits for all processes."""
    text = f"""
    class Keeper:
        def keep(self, path):
            if {condition}:
                return
            xm.save(net.state_dict(), path)
    """
    lines = Lines({}, {"train.py": dedent(text)})
    assert [one.line for one in lines.saves_after_a_leave(of_one=True)] == [6] * said
    assert ("remaining" in condition or said) == bool(list(lines.saves_after_a_leave(of_one=False)))
