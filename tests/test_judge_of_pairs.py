"""What a migration owes its original: each obligation is broken in the migrated program, and then in both alike."""

from __future__ import annotations

import pytest

from tests.judged.pairs import said


def test_a_right_migration_is_not_spoken_of() -> None:
    assert not said()


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("in range(epochs):", "in range(epochs + (rank == 0)):", "how often this goes round"),
        ("enumerate(loader)", "enumerate(itertools.islice(loader, 2 + rank))", "how often this goes round"),
        ("batch_size=8", "batch_size=8 * (1 + (rank == 0))", "how often this goes round"),
        ("loss.backward()", "loss.backward()\n            if time.time() > 9: break", "those wait for the others"),
        ("loss.backward()", "loss.backward()\n            if os.path.exists('x'): return", "those wait for the others"),
        ("optimizer.zero_grad()", "if random.random() < 0.1: continue", "chance decides"),
        ("for epoch in", "if rank != 0: raise SystemExit\n    for epoch in", "those wait for the others"),
        ("for epoch in", "assert rank < 1\n    for epoch in", "those wait for the others"),
        ("optimizer.step()", "match rank:\n                case 0: xm.optimizer_step(optimizer)", "the rank decides"),
    ],
)
def test_all_processes_go_the_same_way(old: str, new: str, words: str) -> None:
    """Each process would be waited for by the others; where the original's was too, the migration owes nothing."""
    found = said((old, new))
    assert any(words in one for one in found), found
    if "xm." not in new:
        assert not [one for one in said((old, new), both=True) if words in one]


def test_a_launcher_of_torch_xla_sets_no_rank() -> None:
    asked = said(("if xr.global_ordinal() == 0:", 'if os.environ.get("RANK", "0") == "0":'))
    assert any("all processes do torch.save" in one for one in asked)
    set_before = ("for epoch in", 'os.environ["RANK"] = str(rank)\n    for epoch in')
    assert not said(("if xr.global_ordinal() == 0:", 'if os.environ.get("RANK", "0") == "0":'), set_before)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("set_epoch(epoch)", "set_epoch(epoch + rank)", "another epoch"),
        ("DistributedSampler(dataset,", "DistributedSampler(dataset, seed=rank,", "another seed"),
        ("num_replicas=xr.world_size()", "num_replicas=rank + 1", "another number of shares"),
        ("DataLoader(dataset,", "DataLoader(torch.utils.data.Subset(dataset, range(rank, 9, 2)),", "once more"),
        ("            optimizer.zero", "            x, y = next(iter(loader))\n            optimizer.zero", "anew"),
    ],
)
def test_shares_are_cut_alike_in_all_processes(old: str, new: str, words: str) -> None:
    found = said((old, new))
    assert any(words in one for one in found), found
    if "xr." not in old:
        assert not [one for one in said((old, new), both=True) if words in one]


def test_what_comes_before_something_else_stays_before_it() -> None:
    told = (
        ("        sampler.set_epoch(epoch)\n", ""),
        ("        if xr.", "        sampler.set_epoch(epoch)\n        if xr."),
    )
    assert any("told of the epoch when its batches are read" in one for one in said(*told))
    clip = "            torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)\n"
    clipped = (clip, ""), ("optimizer.step()\n", f"optimizer.step()\n{clip}")
    assert any("clipped when they were stepped" in one for one in said(*clipped))


def test_the_data_is_that_of_the_original() -> None:
    made = ("def train(", "class Data(torch.utils.data.Dataset):\n    pass\n\ndef train(")
    start = ("    sampler = ", "    tested = Data('test')\n    used = Data('train')\n    sampler = ")
    read = ("    net = Net()", "    for x in DataLoader(tested): print(x)\n    net = Net()")
    right = ("DataLoader(dataset, batch", "DataLoader(used, batch")
    assert not said(made, start, read, right, both=True)
    wrong = ("DataLoader(used, batch", "DataLoader(tested, batch")
    found = said(made, start, read, right, wrong, both=(made, start, read, right))
    assert any("does not train on this data" in one for one in found), found


def test_as_much_is_trained_as_in_the_original() -> None:
    ways = (
        ("enumerate(loader)", "enumerate(itertools.islice(loader, 2))", "cut short"),
        ("range(epochs)", "range(1)", "goes up to 1 only"),
        ("optimizer.step()", "optimizer.step()\n            break", "left in its first iteration"),
        ("optimizer.step()", "optimizer.step()\n            return", "left in its first iteration"),
        (
            "        sampler.set_epoch",
            "        net.load_state_dict(first)\n        sampler.set_epoch",
            "loads other values",
        ),
    )
    kept = ("    for epoch", "    first = copy.deepcopy(net.state_dict())\n    for epoch")
    for old, new, words in ways:
        found = said(kept, (old, new))
        assert any(words in one for one in found), found
        assert not [one for one in said(kept, (old, new), both=True) if words in one]


def test_gradients_of_several_batches_are_added_up() -> None:
    clearing = ("            optimizer.zero_grad()\n", "            if i % 4 == 0: optimizer.zero_grad()\n")
    assert not [one for one in said(clearing, both=True) if "adds up" in one]
    assert any("the original adds up the gradients" in one for one in said(both=(clearing,)))


def test_several_processes_are_started() -> None:
    found = said(("torch_xla.launch(train,", "torch_xla.launch(train, debug_single_process=True, args="))
    assert any("one process is started here" in one for one in found), found


def test_what_is_saved_is_what_the_original_saves() -> None:
    ways = (
        ('"net": net.', '"network": net.', "saves nothing under the key 'network'"),
        ("net.state_dict()", "net", "this is the whole network"),
        ("net.state_dict()", "torch.nn.ModuleDict({'net': net}).state_dict()", "saved of a ModuleDict"),
        ("net.state_dict()", "torch.nn.DataParallel(net).state_dict()", "saved of a wrapper"),
        ("net.state_dict()", "Net().state_dict()", "was ever trained"),
        (', "optimizer": optimizer.state_dict()', "", "'optimizer' is not saved"),
    )
    for old, new, words in ways:
        found = said((old, new))
        assert any(words in one for one in found), found


def test_what_the_original_reads_back_is_read_back() -> None:
    assert any("state of a network" in one for one in said(('net.load_state_dict(state["net"])', "pass")))
    assert any(
        "state of an optimizer" in one for one in said(('optimizer.load_state_dict(state["optimizer"])', "pass"))
    )


def test_a_checkpoint_of_each_epoch_is_not_one_of_each_batch() -> None:
    written = "if xr.global_ordinal() == 0:\n            torch.save"
    found = said((f"        {written}", f"            {written.replace('    ', '     ')}"), costs=True)
    assert any("written in an iteration that trains" in one for one in found), found


def test_a_gradient_is_the_mean_of_those_of_all_processes() -> None:
    by_hand = "for p in net.parameters(): {}xm.all_reduce('sum', p.grad, scale=1 / xr.world_size())"
    ways = (
        ("xm.reduce_gradients(optimizer)", "xm.reduce_gradients(optimizer, [[0], [1]])", "within groups"),
        ("loss.backward()", "(loss / xr.world_size()).backward()", "averaged besides"),
        ("xm.reduce_gradients(optimizer)", by_hand.format(""), "nothing averages them"),
        ("for epoch in", "torch.nn.init.normal_(net.one.weight)\n    for epoch in", "random weights of its own"),
        ("for epoch in", "net.one.weight.data.copy_(torch.randn(4, 4))\n    for epoch in", "random weights of its own"),
    )
    for old, new, words in ways:
        found = said((old, new))
        assert any(words in one for one in found), found
    assert not said(("xm.reduce_gradients(optimizer)", by_hand.format("p.grad = ")))
    assert not said(("loss.backward()", "(loss / torch.cuda.device_count()).backward()"), both=True)


def test_each_weight_that_has_a_gradient_is_stepped() -> None:
    old = "SGD(net.parameters(), lr=0.1)"
    ways = (
        (old, "SGD(list(net.parameters())[:-1], lr=0.1)"),
        (old, f"{old}\n    net.one = copy.deepcopy(net.one)"),
        (old, f"{old}\n    net.one.weight = torch.nn.Parameter(net.one.weight.detach())"),
    )
    for change in ways:
        assert any("no optimizer steps it" in one for one in said(change)), said(change)
        if "one" not in change[1]:
            assert not said(change, both=True)


def test_what_was_taken_before_the_move_is_of_no_use_behind_it() -> None:
    moved = ("net = Net().to(device)", "net = Net()\n    first = list(net.parameters())\n    {}net.to(device)")
    clipped = moved[0], moved[1].format("")
    found = said(clipped, ("clip_grad_norm_(net.parameters()", "clip_grad_norm_(first"))
    assert any("clips parameters of before the move" in one for one in found), found
    averaged = moved[0], moved[1].format("average = torch.optim.swa_utils.AveragedModel(net)\n    ")
    found = said(averaged, ("optimizer.step()", "optimizer.step()\n            average.update_parameters(net)"))
    assert any("on the host follow those of the device" in one for one in found), found


def test_what_is_called_is_there() -> None:
    ways = (
        ("xm.reduce_gradients(optimizer)", "xm.reduce_gradients(optimizer, mark=True)", "has no parameter 'mark'"),
        ("num_replicas=xr.world_size()", "num_replicas=xm.xrt_world_size()", "xrt_world_size is not there"),
        ("xm.reduce_gradients(optimizer)", "xm.average(optimizer)", "average is not there in torch_xla 2.9"),
        ("loss.backward()", "loss.backward(); torch.cuda.synchronize()", "raises where there is no GPU"),
        ("    for epoch", "    torch.distributed.barrier()\n    for epoch", "needs a process group"),
        ("torch_xla.launch(", "torch_xla.device(); torch_xla.launch(", "processes cannot be started here"),
        ("torch_xla.launch(train, (", "torch_xla.launch(train(0, 1), (", "what is started here is no function"),
    )
    for old, new, words in ways:
        found = said((old, new))
        assert any(words in one for one in found), found
    asked = "loss.backward()\n            if torch.cuda.is_available(): torch.cuda.synchronize()"
    assert not said(("loss.backward()", asked))


def test_what_makes_each_iteration_dear_is_said() -> None:
    ways = (
        ("loss.backward()", "loss.backward(); xm.wait_device_ops()", "the host waits here"),
        ("    for epoch", "    torch.autograd.set_detect_anomaly(True)\n    for epoch", "many executions"),
        ("loader, device)", "loader, device, batches_per_execution=100)", "graphs of several iterations"),
        ("optimizer.zero_grad()", "x = x.roll(i, 0)", "another number in each iteration"),
    )
    for old, new, words in ways:
        assert any(words in one for one in said((old, new), costs=True)), said((old, new), costs=True)
    checked = ("    for epoch", "    torch.autograd.set_detect_anomaly(True)\n    for epoch")
    assert not said(checked, both=True, costs=True)


def test_what_was_on_cuda_is_on_the_accelerator() -> None:
    chosen = ("device = torch_xla.device()", "device = 'cuda' if torch.cuda.is_available() else 'cpu'")
    broadcast = ("xm.broadcast_master_param(net)", "")
    assert any("never on the accelerator" in one for one in said(chosen, broadcast))


def test_what_one_process_writes_is_waited_for() -> None:
    """Nothing waits for a file on torch_xla 2.x; where the original does not either, the migration owes nothing."""
    written = ', "last.pt")\n'
    read = '    net.load_state_dict(torch.load("last.pt", map_location="cpu"))\n'
    words = "nothing waits until it is written"
    assert any(words in one for one in said((written, written + read)))
    assert not any(words in one for one in said((written, written + read), both=True))
    assert not any(words in one for one in said((written, written + '    xm.rendezvous("saved")\n' + read)))
    alone = f"    if xr.global_ordinal() == 0:\n    {read}"
    assert not any(words in one for one in said((written, written + alone)))


def test_a_device_loader_is_of_the_accelerator() -> None:
    found = said(("pl.MpDeviceLoader(loader, device)", 'pl.MpDeviceLoader(loader, torch.device("cpu"))'))
    assert any("a device loader has no way to the host" in one for one in found), found
