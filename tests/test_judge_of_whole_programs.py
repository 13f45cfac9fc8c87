"""What the judge must not say of programs of several parts, beside the fault of the same kind that he must say."""

from __future__ import annotations

from textwrap import dedent

import pytest

from codemods.kit.meaning import execution
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
            imports="scaler = torch.cuda.amp.GradScaler()"
            if cuda
            else "import torch_xla\n"
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


_SENT = """
    import torch, torch.nn as nn
    from data import dataset
    from torch.utils.data import DataLoader
    {imports}

    def train(rank):
        {start}
        net = nn.Sequential({blocks}).to(device)
        {send}
        optimizer = torch.optim.SGD(net.parameters(), 0.1)
        loader = DataLoader(dataset, batch_size=4, sampler=torch.utils.data.distributed.DistributedSampler(dataset))
        {loader}
        for x in loader:
            {batch}
            optimizer.zero_grad()
            net(x).mean().backward()
            {step}

    if __name__ == "__main__":
        {launch}
"""


def test_all_weights_and_buffers_of_a_list_are_sent() -> None:
    """`xm.collective_broadcast(list(net.parameters()) + list(net.buffers()))`, of a network of many."""
    blocks = ", ".join(["nn.Conv2d(4, 4, 1), nn.BatchNorm2d(4)"] * 30)
    original = _SENT.format(
        blocks=blocks,
        imports="import torch.distributed as dist, torch.multiprocessing as mp",
        start='dist.init_process_group("nccl", rank=rank); device = torch.device("cuda", rank)',
        send="net = nn.parallel.DistributedDataParallel(net, device_ids=[rank])",
        loader="",
        batch="x = x.to(device)",
        step="optimizer.step()",
        launch="mp.spawn(train, nprocs=torch.cuda.device_count())",
    )
    migrated = _SENT.replace("DistributedSampler(dataset)", "DistributedSampler(dataset, {cut})")

    def found(send: str) -> list[str]:
        text = migrated.format(
            blocks=blocks,
            imports="import torch_xla, torch_xla.core.xla_model as xm, torch_xla.runtime as xr\n"
            "    import torch_xla.distributed.parallel_loader as pl",
            start="device = torch_xla.device()",
            send=send,
            loader="loader = pl.MpDeviceLoader(loader, device)",
            batch="",
            step="xm.optimizer_step(optimizer)",
            launch="torch_xla.launch(train)",
            cut="xr.world_size(), xr.global_ordinal()",
        )
        return [one for one in said({"train.py": text}, {"train.py": original}) if "random weights" in one]

    assert not found("xm.collective_broadcast(list(net.parameters()) + list(net.buffers()))")
    assert not found("xm.broadcast_master_param(net)")
    assert found("pass")
    assert found("xm.collective_broadcast(list(net[0].parameters()) + list(net.buffers()))")


_LOADS = """
    import sys, torch
    from data import batches
    {imports}
    parallel = len(sys.argv) > 2
    net = torch.nn.Linear(4, 4).to({device})
    {wrap}
    optimizer = torch.optim.SGD(net.parameters(), 0.1)
    net.load_state_dict(torch.load(sys.argv[1], map_location="cpu")["net"])
    for x in batches:
        optimizer.zero_grad()
        net(x.to({device})).mean().backward()
        {step}
    torch.save({{"net": {state}, "optimizer": optimizer.state_dict()}}, "last.pt")
"""


def test_names_in_checkpoints_of_the_original_are_those_that_it_writes() -> None:
    """`model.module.state_dict() if parallel else model.state_dict()`, and loaded into either."""
    here = "import torch_xla, torch_xla.core.xla_model as xm"
    migrated = _LOADS.format(
        imports=here,
        device="torch_xla.device()",
        wrap="",
        step="optimizer.step(); torch_xla.sync()",
        state="net.state_dict()",
    )

    def found(wrap: str, state: str) -> list[str]:
        original = _LOADS.format(imports="", device='"cuda"', wrap=wrap, step="optimizer.step()", state=state)
        return [one for one in said({"train.py": migrated}, {"train.py": original}) if "`module.`" in one]

    always, optional = "net = torch.nn.DataParallel(net)", "net = torch.nn.DataParallel(net) if parallel else net"
    assert not found(optional, "net.module.state_dict() if parallel else net.state_dict()")
    assert found(optional, "net.state_dict()")
    assert found(always, "net.module.state_dict()")
    assert found(always, "net.state_dict()")


_TARGET = """
    import torch, torch_xla
    from data import batches
    device = torch_xla.device()
    net, target = torch.nn.Linear(4, 4), torch.nn.Linear(4, 4)
    net.to(device)
    optimizer = torch.optim.SGD(net.parameters(), 0.1)
    for mine, its in zip(target.parameters(), net.parameters()):
        mine.data.copy_(its.data)
    {move}
    for x in batches:
        optimizer.zero_grad()
        net(x.to(device)).mean().backward()
        optimizer.step()
        for mine, its in zip(target.parameters(), net.parameters()):
            mine.data.copy_(mine.data * 0.9 + its.data * 0.1)
        torch_xla.sync()
"""


def test_a_target_on_the_host_that_is_set_once_follows_nothing() -> None:
    words = "on the host follow those of the device"
    assert not [one for one in said({"train.py": _TARGET.format(move="target.to(device)")}) if words in one]
    assert [one for one in said({"train.py": _TARGET.format(move="pass")}) if words in one]


def test_where_following_ended_is_said_of_what_it_kept_from_being_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another script of the program, in which it ended, has nothing to do with it."""
    head = "import torch, torch_xla, engine, parts\nnet = torch.nn.Linear(4, 4).to(torch_xla.device())\n"
    long = "\n".join(f"x{i} = parts.one + {i}" for i in range(200))
    train = "def make(x):\n    def train():\n        net(x).mean().backward()\n    return engine.of(train)\n"
    for bound in ("MAX_STEPS", "MAX_UNCALLED"):
        monkeypatch.setattr(execution, bound, 300)

    def found(a: str, b: str) -> list[str]:
        files = {"a.py": head + a, "b.py": head + train + b, "parts.py": "one = 1"}
        return [one for one in said(files) if "nothing of this training was judged" in one]

    (message,) = found(long, "make(engine.x)")
    assert "no call that was followed leads here, and not all was followed: it ended at a.py" in message
    (message,) = found(long, f"{long}\nmake(engine.x)")
    assert "following ended at b.py" in message
    (message,) = found("", "make(engine.x)")
    assert message.endswith("no call that was followed leads here")


_RATE = """
    import torch, torch.nn as nn
    from data import dataset
    from torch.utils.data import DataLoader
    {imports}

    def train(index=0):
        net = nn.Linear(4, 2).to({device})
        {begin}
        optimizer = torch.optim.SGD(net.parameters(), 0.1)
        schedule = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer)
        loader = {loader}
        seen = 0
        for x, y in loader:
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(net(x.to({device})), y.to({device}))
            loss.backward()
            {step}
            {rate}

    {launch}
"""


@pytest.mark.parametrize(
    ("own", "all_of_them"),
    [
        ("schedule.step(loss)", 'schedule.step(xm.mesh_reduce("loss", loss.item(), sum))'),
        (
            'seen += int((y >= 0).sum()); optimizer.param_groups[0]["lr"] = 0.1 / (1 + seen)',
            'seen += int(xm.mesh_reduce("seen", int((y >= 0).sum()), sum)); '
            'optimizer.param_groups[0]["lr"] = 0.1 / (1 + seen)',
        ),
    ],
)
def test_all_processes_step_with_one_learning_rate(own: str, all_of_them: str) -> None:
    original = _RATE.format(
        imports="",
        device='"cuda"',
        begin="net = nn.DataParallel(net)",
        loader="DataLoader(dataset, 32, shuffle=True)",
        step="optimizer.step()",
        rate=own,
        launch="train()",
    )

    def found(rate: str) -> list[str]:
        migrated = _RATE.format(
            imports="import torch_xla, torch_xla.core.xla_model as xm, torch_xla.runtime as xr\n"
            "    import torch_xla.distributed.parallel_loader as pl",
            device="torch_xla.device()",
            begin="xm.broadcast_master_param(net)",
            loader="pl.MpDeviceLoader(DataLoader(dataset, 4, sampler=torch.utils.data.distributed.DistributedSampler("
            "dataset, xr.world_size(), xr.global_ordinal())), torch_xla.device())",
            step="xm.optimizer_step(optimizer)",
            rate=rate,
            launch="torch_xla.launch(train)",
        )
        return [one for one in said({"train.py": migrated}, {"train.py": original}) if "learning rate" in one]

    assert found(own)
    assert not found(all_of_them)


_ENCODED = """
    import torch, torch_xla, torch.nn as nn
    from transformers.tokenization_utils import PreTrainedTokenizer

    class Words(PreTrainedTokenizer):
        def __init__(self, vocabulary):
            self.vocabulary = vocabulary

    encode = Words.from_pretrained("words")
    net = nn.Embedding(10, 4).to(torch_xla.device())
    optimizer = torch.optim.SGD(net.parameters(), 0.1)
    for text in ("a", "b"):
        words = encode(text).to({device}).input_ids.clone()
        chosen = torch.bernoulli(torch.full(words.shape, 0.5)).bool()
        chosen[words == 0] = False
        net(words.to(torch_xla.device())).sum().backward()
        optimizer.step()
        torch_xla.sync()
"""


def test_what_a_tokenizer_gives_is_where_it_was_moved() -> None:
    message = "written at places that a tensor on the accelerator gives"
    assert [one for one in said({"train.py": _ENCODED.format(device="torch_xla.device()")}) if message in one]
    assert not [one for one in said({"train.py": _ENCODED.format(device='"cpu"')}) if message in one]


_MASKED = """
    import torch, torch_xla, torch.nn as nn
    from data import batches, mean, std

    net = nn.Linear(4, 4).to(torch_xla.device())
    optimizer = torch.optim.SGD(net.parameters(), 0.1)
    for x, y in batches:
        y = torch.from_numpy(y).to({device}) * {std} + {mean}
        known = (y {asked}).to(torch_xla.device()).float()
        optimizer.zero_grad()
        ((net(x.to(torch_xla.device())) - y.to(torch_xla.device())) * known).sum().backward()
        optimizer.step()
        torch_xla.sync()
"""


@pytest.mark.parametrize(
    ("device", "std", "mean", "asked", "wrong"),
    [
        ("torch_xla.device()", "std", "mean", "!= 0", True),
        ("torch_xla.device()", "std", "mean", "== 0.0", True),
        ("torch_xla.device()", "std", "mean", "> 0.5", False),
        ("torch_xla.device()", "2", "1", "!= 0", False),
        ('"cpu"', "std", "mean", "!= 0", False),
    ],
)
def test_what_xla_rounds_once_is_not_compared_exactly(
    device: str, std: str, mean: str, asked: str, wrong: bool
) -> None:
    found = said({"train.py": _MASKED.format(device=device, std=std, mean=mean, asked=asked)})
    assert bool([one for one in found if "compared exactly" in one]) is wrong


_EITHER = """
    import sys, torch, torchvision
    from data import batches
    {imports}

    if len(sys.argv) > 1:
        net = torchvision.models.resnet18(pretrained=True)
    else:
        net = torchvision.models.resnet18()
    net = {moved}
    optimizer = torch.optim.SGD(net.parameters(), 0.1)
    for x in batches:
        optimizer.zero_grad()
        net(x.to({device})).mean().backward()
        {step}
    torch.save({{"net": {saved}.state_dict()}}, "last.pt")
"""


def test_a_network_made_in_one_of_two_ways_is_saved_as_itself() -> None:
    before = _EITHER.format(
        imports="", moved="torch.nn.DataParallel(net).cuda()", device='"cuda"', step="optimizer.step()", saved="net"
    )

    def found(saved: str) -> list[str]:
        after = _EITHER.format(
            imports="import torch_xla",
            moved="net.to(torch_xla.device())",
            device="torch_xla.device()",
            step="optimizer.step(); torch_xla.sync()",
            saved=saved,
        )
        return [one for one in said({"train.py": after}, {"train.py": before}) if "saves" in one or "saved" in one]

    assert not found("net")
    assert found("optimizer")


_DERIVED = """
    import torch, torch_xla, torch.nn as nn
    from transformers.modeling_utils import PreTrainedModel
    from transformers.models.bert.configuration_bert import BertConfig

    class Writer(PreTrainedModel):
        def __init__(self, config):
            super().__init__(config)
            self.words = nn.Embedding(config.vocab_size, 4)
            self.head = nn.Linear(4, config.vocab_size)
            self.init_weights()

        def get_input_embeddings(self):
            return self.words

        def get_output_embeddings(self):
            return self.head

        def forward(self, ids):
            return self.head(self.words(ids)).to({place})

    model = Writer.from_pretrained("writer", config=BertConfig.from_json_file("config.json"))
    model.to(torch_xla.device())
    {tie}
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    for _ in range(3):
        model(torch.zeros(4, dtype=torch.long, device=torch_xla.device())).mean().backward()
        optimizer.step()
        torch_xla.sync()
"""


def test_networks_derived_from_those_of_transformers_are_followed() -> None:
    """What they tie parts in the move; what they are asked for is theirs, or of the base they derive from."""
    right = said({"train.py": _DERIVED.format(place="self.device", tie="model.tie_weights()")})
    assert not right, right
    parted = said({"train.py": _DERIVED.format(place="self.device", tie="")})
    assert [one for one in parted if "trained apart" in one], parted
    never_set = said({"train.py": _DERIVED.format(place="self.first_device", tie="model.tie_weights()")})
    assert [one for one in never_set if "`.first_device` is asked of Writer" in one], never_set


_LAYERS = """
    import json, torch, torch_xla, torch.nn as nn

    class Net(nn.Module):
        def __init__(self, depth):
            super().__init__()
            self.layers = nn.ModuleList([nn.Linear(4, 4) for _ in range(depth)])
            self.share()

        def share(self):
            for at in range(6):
                self.layers[at * 2].weight = self.layers[at * 2 + 1].weight

        def forward(self, x):
            for layer in self.layers:
                x = layer(x)
            return x

    model = Net(json.load(open("config.json"))["depth"]).to(torch_xla.device())
    {tie}
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    for _ in range(3):
        model(torch.zeros(4, device=torch_xla.device())).mean().backward()
        optimizer.step()
        torch_xla.sync()
"""


def test_weights_shared_by_layers_that_are_not_told_apart_are_parted_by_a_move() -> None:
    assert not [one for one in said({"train.py": _LAYERS.format(tie="model.share()")}) if "trained apart" in one]
    parted = said({"train.py": _LAYERS.format(tie="")})
    assert [one for one in parted if "trained apart" in one], parted


_UNREAD = """
    import torch, torch_xla, torch.nn as nn
    {library}

    class Net({base}):
        def __init__(self):
            super().__init__()
            self.fc = nn.Linear(4, 1)

        def forward(self, x):
            return self.fc(x) + self.shift

    net = Net()
    {move}
    optimizer = torch.optim.SGD(net.parameters(), 0.1)
    net.to(torch_xla.device())
    for _ in range(3):
        net(torch.ones(4, device=torch_xla.device())).mean().backward()
        optimizer.step()
        torch_xla.sync()
"""


@pytest.mark.parametrize(
    ("library", "base"),
    [
        ("from somewhere import Base", "Base"),
        ("from timm.models.vision_transformer import VisionTransformer", "VisionTransformer"),
        ("import torchvision", "torchvision.models.resnet.ResNet"),
        ("from diffusers.models.modeling_utils import ModelMixin", "ModelMixin"),
        ("from torch_geometric.nn.conv import MessagePassing", "MessagePassing"),
    ],
)
def test_a_class_with_a_forward_is_a_network_whatever_it_derives_from(library: str, base: str) -> None:
    late = said({"train.py": _UNREAD.format(library=library, base=base, move="")})
    assert [one for one in late if "steps parameters of before the move" in one], late
    early = said({"train.py": _UNREAD.format(library=library, base=base, move="net.to(torch_xla.device())")})
    assert not early, early


def test_what_a_library_of_plain_values_gives_to_a_derived_class_is_not_missed() -> None:
    world = """
        import abc, gym, torch, torch_xla

        class World(gym.Wrapper):
            def step(self, action):
                return self.env.step(action), self.action_space

        class Own(abc.ABC):
            def step(self, action):
                return self.env.step(action)

        net = torch.nn.Linear(4, 1).to(torch_xla.device())
        World(gym.make("CartPole-v1")).step(net(torch.ones(4, device=torch_xla.device())))
        Own().step(0)
    """
    found = [one for one in said({"play.py": world}) if "is asked of" in one]
    assert len(found) == 1, found
    assert "`.env` is asked of Own" in found[0]


_KINDS = """
    import json, torch, torch_xla, torch.nn as nn

    class Head(nn.Module):
        def __init__(self, shape):
            super().__init__()
            self.shape = (shape,) if isinstance(shape, int) else shape
            self.layer = nn.Linear(4, 4)

        def forward(self, x):
            if isinstance(self.shape, dict):
                return {{name: self.layer(x) for name in self.shape.keys()}}
            return torch.distributions.Normal(self.layer(x), 1.0)

    sizes = json.load(open("sizes.json"))
    head = Head({shape}).to(torch_xla.device())
    x = torch.randn(3, 4).to(torch_xla.device())
    print(head(x).log_prob(x))
"""


def test_a_kind_that_the_program_asks_for_is_not_guessed() -> None:
    either = '{"one": sizes["one"], "two": sizes["two"] + 1}[sizes["which"]]'
    assert not [one for one in said({"run.py": _KINDS.format(shape=either)}) if "is asked of" in one]
    known = said({"run.py": _KINDS.format(shape='{"one": 4}')})
    assert [one for one in known if "`.log_prob` is asked of dict" in one], known


_FLAG = """
    import json, torch, torch_xla, torch.nn as nn
    from episodes import load

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = nn.Linear(4, 3)

        def loss(self, xs, xq):
            wanted = torch.arange(0, 3).view(1, 3).expand(xs.size(0), 3)
            {test}
                wanted = wanted.to(torch_xla.device())
            return self.layer(torch.cat([xs, xq], 0)).gather(1, wanted).mean()

    options = json.load(open("options.json"))
    net = Net()
    if options["cuda"]:
        net.to(torch_xla.device())
    optimizer = torch.optim.SGD(net.parameters(), 0.1)
    for sample in load(options):
        net.loss(sample["xs"], sample["xq"]).backward()
        optimizer.step()
        torch_xla.sync()
"""


def test_where_a_batch_is_that_the_program_asks_for_is_not_guessed() -> None:
    asked = said({"run.py": _FLAG.format(test="if xq.device.type == 'xla':")})
    assert not [one for one in asked if "on the host" in one], asked
    assert [one for one in said({"run.py": _FLAG.format(test="if False:")}) if "a tensor on the host meets" in one]


_UNBOUND = """
    import torch{imports}, torch.nn as nn
    from data import batches

    net = nn.Linear(4, 1){moved}
    optimizer = torch.optim.SGD(net.parameters(), 0.1)
    for x, given in batches:
        x, given = {batch}
        {test}:
            more = given["more"]
        loss = net(x).mean() + (more.mean() if "extra" in given else 0.0)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step(){mark}
"""


def test_a_name_that_the_original_binds_under_the_same_conditions_is_its_own_affair() -> None:
    known = "{name: one.cuda() for name, one in {'more': x, 'extra': x}.items()}"
    asked = 'if "more" in given'
    before = _UNBOUND.format(imports="", moved=".cuda()", batch=f"x.cuda(), {known}", test=asked, mark="")
    after = {"imports": ", torch_xla", "moved": ".to(torch_xla.device())", "mark": "; torch_xla.sync()"}
    same = _UNBOUND.format(**after, batch="x.to(torch_xla.device()), given", test=asked)
    message = "`more` is not bound on every path"
    assert [one for one in said({"train.py": same}) if message in one]
    assert not [one for one in said({"train.py": same}, {"train.py": before}) if message in one]
    other = _UNBOUND.format(**after, batch="x.to(torch_xla.device()), given", test='if "less" in given')
    assert [one for one in said({"train.py": other}, {"train.py": before}) if message in one]


_KEPT = """
    import torch, torch_xla, torch.nn as nn

    class Scaled(nn.Module):
        def __init__(self):
            super().__init__()
            self.near, self.far = nn.Parameter(torch.ones(4)), nn.Parameter(torch.ones(4))
            self.scales = {kept}

        def forward(self, x, at):
            return x * self.scales[at]

    {before}
    net = Scaled().to(torch_xla.device())
    optimizer = torch.optim.SGD(net.parameters(), 0.1)
    for step in range(10):
        loss = net(torch.ones(2, 4, device=torch_xla.device()), step % 2).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        torch_xla.sync()
"""


@pytest.mark.parametrize(
    ("kept", "before", "stale"),
    [
        ("[self.near, self.far]", "", True),
        ("{0: self.near, 1: self.far}", "", True),
        ("nn.ParameterList([self.near, self.far])", "", False),
        ("[self.near, self.far]", "torch.__future__.set_swap_module_params_on_conversion(True)", False),
    ],
    ids=["list", "dict", "parameter list", "swapped"],
)
def test_what_a_plain_list_keeps_is_of_before_the_move(kept: str, before: str, stale: bool) -> None:
    found = said({"train.py": _KEPT.format(kept=kept, before=before)})
    assert bool([one for one in found if "a parameter of before the move" in one]) is stale, found


_FIRST_ALONE = """
    import argparse, torch, torch_xla, torch.nn as nn
    import torch_xla.core.xla_model as xm, torch_xla.runtime as xr

    def _mp_fn(index, args):
        net = nn.Linear(4, 1).to(torch_xla.device())
        optimizer = torch.optim.SGD(net.parameters(), 0.1)
        {before}
        if xr.global_ordinal() == 0:
            args.folder = "out"
        for step in range(10):
            loss = net(torch.ones(2, 4, device=torch_xla.device())).sum()
            optimizer.zero_grad()
            loss.backward()
            xm.optimizer_step(optimizer, barrier=True)
        {guard}
            xm.save(net.state_dict(), args.folder + "/net.pt")

    if __name__ == "__main__":
        torch_xla.launch(_mp_fn, args=(argparse.ArgumentParser().parse_args(),))
"""


def test_what_the_first_process_alone_has_is_missing_in_the_others() -> None:
    def complaints(before: str, guard: str) -> list[str]:
        found = said({"train.py": _FIRST_ALONE.format(before=before, guard=guard)})
        return [one for one in found if "in some processes only" in one]

    assert complaints("pass", "if True:")
    assert not complaints("pass", "if xr.global_ordinal() == 0:")
    assert not complaints("args.folder = '.'", "if True:")



_LOSS_OF = """
    import torch, torch.nn as nn, torch_xla, torch_xla.core.xla_model as xm
    from unread import compare

    def main():
        device = {device}
        net = nn.Linear(4, 2).to(device)
        optimizer = torch.optim.SGD(net.parameters(), 0.1)
        for x in torch.utils.data.DataLoader(torch.utils.data.TensorDataset(torch.randn(64, 4)), 8):
            optimizer.zero_grad()
            loss = {loss}
            loss.backward()
            {step}

    if __name__ == "__main__":
        main()
"""


@pytest.mark.parametrize(("loss", "says"), [("compare(x)", "not followed"), ("torch.ones(1).sum()", "no gradient")])
def test_what_was_not_followed_is_no_gradient_that_is_missing(loss: str, says: str) -> None:
    before = _LOSS_OF.format(device='"cuda"', loss="net(x[0].to(device)).sum()", step="optimizer.step()")
    after = _LOSS_OF.format(device="torch_xla.device()", loss=loss, step="xm.optimizer_step(optimizer, barrier=True)")
    found = said({"train.py": after}, {"train.py": before})
    assert [one for one in found if says in one], found
    assert says == "no gradient" or not [one for one in found if "no gradient" in one or "once more" in one], found


_SAMPLED = """
    import torch, torch.nn as nn{imports}
    from unread import batch

    def train():
        net = {net}
        optimizer = torch.optim.SGD(net.parameters(), 0.1)
        for _ in range(100):
            optimizer.zero_grad()
            net(batch(8).to({device})).sum().backward()
            {step}

    {call}

    if __name__ == "__main__":
        {start}
"""


@pytest.mark.parametrize(("start", "is_said"), [("print(1)", False), ("torch_xla.launch(_mp_fn)", True)])
def test_a_script_that_starts_no_others_need_not_divide_what_it_trains_on(start: str, is_said: bool) -> None:
    """Not because another script of the program trains in several processes."""
    device = "torch_xla.device()"
    after = _SAMPLED.format(
        imports=", torch_xla, torch_xla.core.xla_model as xm",
        net=f"nn.Linear(4, 2).to({device})",
        device=device,
        step="xm.optimizer_step(optimizer, barrier=True)",
        call="def _mp_fn(index): print(index)",
        start=start,
    )
    before = _SAMPLED.format(
        imports="",
        net="nn.DataParallel(nn.Linear(4, 2)).cuda()",
        device='"cuda"',
        step="optimizer.step()",
        call="",
        start="print(1)",
    )
    found = said({"train.py": after}, {"train.py": before})
    assert any("nothing divides" in one for one in found) == is_said, found


_LAYERED = """
    import torch, torch_xla, torch.nn as nn

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = nn.ModuleList([nn.Linear(4, 4) for _ in range(3)])

        def inference(self, x):
            for {target} in {layers}:
                x = torch.relu({call})
            return x

    def main():
        net = Net().to(torch_xla.device()).eval()
        with torch.no_grad():
            print(net.inference(torch.randn(2, 4).to(torch_xla.device())).cpu())

    if __name__ == "__main__":
        main()
"""


@pytest.mark.parametrize(
    ("target", "layers", "call", "is_said"),
    [
        ("layer", "self.layers", "layer(x)", False),
        ("at, layer", "enumerate(self.layers)", "layer(x)", False),
        ("_", "range(3000)", "self.layers[0](x)", True),
    ],
)
def test_a_loop_over_the_layers_of_a_network_is_of_no_growing_graph(
    target: str, layers: str, call: str, is_said: bool
) -> None:
    found = said({"run.py": _LAYERED.format(target=target, layers=layers, call=call)})
    assert any("grows with each" in one for one in found) == is_said, found


_RANKED = """
    import torch, torch.nn as nn, torch_xla, torch_xla.core.xla_model as xm, torch_xla.runtime as xr

    def _mp_fn(index, options):
        options.gpu = {rank}
        if options.gpu is not None:
            size = 8
        else:
            size = 8 * index
        device = torch_xla.device()
        data = torch.randn(64, 4)
        sampler = torch.utils.data.distributed.DistributedSampler(data, xr.world_size(), xr.global_ordinal())
        net = nn.Linear(4, 2).to(device)
        xm.broadcast_master_param(net)
        optimizer = torch.optim.SGD(net.parameters(), 0.1)
        for x in torch.utils.data.DataLoader(data, batch_size=size, sampler=sampler):
            optimizer.zero_grad()
            net(x.to(device)).sum().backward()
            xm.optimizer_step(optimizer, barrier=True)

    if __name__ == "__main__":
        import argparse
        torch_xla.launch(_mp_fn, args=(argparse.Namespace(),))
"""


@pytest.mark.parametrize(("rank", "is_said"), [("index", False), ("xr.local_ordinal()", False), ("odd(index)", True)])
def test_a_rank_is_not_none(rank: str, is_said: bool) -> None:
    text = _RANKED.format(rank=rank).replace("import torch,", "from library import odd\n    import torch,")
    found = said({"train.py": text}, {"train.py": "import torch"})
    assert any("how often this goes round" in one for one in found) == is_said, found


def test_data_parallel_puts_nothing_on_cuda_where_it_is_not_there() -> None:
    text = """
        import torch, torch_xla

        def main():
            net = torch.nn.DataParallel(torch.nn.Linear(4, 2)).to(torch_xla.device())
            with torch.no_grad():
                print(net(torch.randn(8, 4).to(torch_xla.device())).cpu())

        if __name__ == "__main__":
            main()
    """
    assert not [one for one in said({"run.py": text}) if "CUDA" in one]
    found = said({"run.py": text.replace("torch_xla.device()", "'xla'")}, target="smtc")
    assert [one for one in found if "CUDA" in one]



_ALONE = """
    import torch, torch_xla, torch.nn as nn
    import torch_xla.core.xla_model as xm, torch_xla.runtime as xr

    def _mp_fn(index):
        device = torch_xla.device()
        torch.manual_seed(0)
        net = nn.Linear(4, 2).to(device)
        optimizer = torch.optim.SGD(net.parameters(), 0.1)
        total, totals = torch.zeros((), device=device), {{}}
        for step in range(9):
            x = torch.ones(2, 4, device=device)
            loss = net(x).mean()
            optimizer.zero_grad()
            loss.backward()
            xm.optimizer_step(optimizer)
            {test}: {work}
            torch_xla.sync()

    if __name__ == "__main__":
        torch_xla.launch(_mp_fn)
"""


@pytest.mark.parametrize(
    "work",
    [
        "total += loss.detach()",
        "total = total + loss.detach()",
        "totals['loss'] = loss.detach() / 2",
        "xm.add_step_closure(print, args=(loss.detach() / 2,))",
    ],
)
def test_what_one_process_alone_leaves_pending_is_another_graph(work: str) -> None:
    """Run on two replicas: each of these stands still, and none of the others below."""
    files = {"train.py": _ALONE.format(test="if xr.global_ordinal() == 0", work=work)}
    assert [one for one in said(files) if "one process alone computes this" in one]
    files = {"train.py": _ALONE.format(test="if step % 2 == 0", work=work)}
    assert not [one for one in said(files) if "one process alone" in one]


@pytest.mark.parametrize(
    "work",
    ["loss.detach() / 2", "(lambda: loss.detach() * 3)()", "xm.add_step_closure(print, args=(loss.detach(),))", "pass"],
)
def test_what_nothing_holds_is_in_no_graph(work: str) -> None:
    files = {"train.py": _ALONE.format(test="if xr.global_ordinal() == 0", work=work)}
    assert not [one for one in said(files) if "one process alone" in one]


def test_the_runtime_is_not_asked_before_the_processes_start() -> None:
    """Run on torch_xla 2.9: "Runtime is already initialized"."""
    parts = "import torch_xla.runtime as xr\n\nmany = {asked}\n"
    train = _ALONE.format(test="if True", work="pass").replace("import torch,", "import parts, torch,", 1)
    for asked, wrong in (("xr.local_device_count()", True), ("xr.world_size()", True), ("xr.device_type()", False)):
        found = said({"train.py": train, "parts.py": parts.format(asked=asked)})
        assert wrong is bool([one for one in found if "torch_xla's runtime was asked at parts.py:3" in one]), found


@pytest.mark.parametrize(
    ("imports", "bar"),
    [
        ("from tqdm.autonotebook import tqdm", "tqdm({})"),
        ("import tqdm", "tqdm.tqdm_notebook({})"),
        ("from tqdm.contrib import tzip", "tzip({})"),
        ("from fastprogress.fastprogress import progress_bar", "progress_bar({}, parent=None)"),
        ("from rich.progress import track", "track({}, description='epoch')"),
        ("from rich.progress import Progress", "Progress().track({})"),
        ("import progressbar", "progressbar.progressbar({})"),
        ("from progressbar import ProgressBar", "ProgressBar()({})"),
        ("from alive_progress import alive_it", "alive_it({})"),
    ],
)
def test_bars_hand_on_what_a_device_loader_marks(imports: str, bar: str) -> None:
    program = """
        import torch, torch_xla
        import torch_xla.core.xla_model as xm, torch_xla.distributed.parallel_loader as pl
        from torch.utils.data import DataLoader, TensorDataset
        {imports}

        device = torch_xla.device()
        net = torch.nn.Linear(4, 2).to(device)
        optimizer = torch.optim.SGD(net.parameters(), 0.1)
        loader = DataLoader(TensorDataset(torch.ones(8, 4)), 4)
        {marked}
        for batch in {bar}:
            optimizer.zero_grad()
            net(batch[0]).mean().backward()
            xm.optimizer_step(optimizer)
    """
    marked = "loader = pl.MpDeviceLoader(loader, device)"
    assert not said({"train.py": program.format(imports=imports, marked=marked, bar=bar.format("loader"))})
    assert said({"train.py": program.format(imports=imports, marked="", bar=bar.format("loader"))})
