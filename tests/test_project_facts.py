"""What the files of a project say about each other, on the smallest projects that show it."""

from __future__ import annotations

from codemods.kit.targets import Target
from migrate.project import find_programs, link, migrate_project

CLIPPING = """\
import torch
from wrapper import Scheduled


def main(model, loss):
    device = torch.device("cuda")
    model.to(device)
    optimizer = Scheduled(torch.optim.SGD(model.parameters(), lr=0.1))
    loss(model).backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step_and_decay()
"""
WRAPPER = """\
import torch


class Scheduled:
    def __init__(self, optimizer):
        self.inner = optimizer

    def step_and_decay(self):
        self.inner.step()
"""


def migrated(sources: dict[str, str]) -> dict[str, str]:
    found = migrate_project(sources, target=Target.parse("torch-xla==2.9"))
    return {path: migration.result for path, migration in found}


def test_gradients_clipped_by_the_caller_are_averaged_before_it_clips() -> None:
    result = migrated({"main.py": CLIPPING, "wrapper.py": WRAPPER})
    lines = [line.strip() for line in result["main.py"].splitlines()]
    assert (
        lines.index("xm.reduce_gradients(optimizer.inner)")
        == lines.index("torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)") - 1
    )
    assert "self.inner.step()" in result["wrapper.py"]


def test_a_second_caller_that_does_not_clip_keeps_the_averaging_step() -> None:
    other = CLIPPING.replace("    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)\n", "")
    result = migrated({"main.py": CLIPPING, "other.py": other, "wrapper.py": WRAPPER})
    assert "xm.reduce_gradients(optimizer.inner)" in result["main.py"]
    assert "reduce_gradients" not in result["other.py"]
    assert "xm.optimizer_step(self.inner" in result["wrapper.py"]


def test_every_optimizer_that_a_function_steps_is_averaged_before_its_caller_clips() -> None:
    caller = """\
import torch
from steps import advance


def main(encoder, head, loss):
    device = torch.device("cuda")
    a, b = torch.optim.AdamW(encoder.parameters()), torch.optim.SGD(head.parameters(), lr=0.1)
    loss(encoder, head).backward()
    torch.nn.utils.clip_grad_norm_(encoder.parameters(), 1.0)
    advance(a, second=b)
"""
    result = migrated(
        {"main.py": caller, "steps.py": "def advance(first, second):\n    first.step()\n    second.step()\n"}
    )
    lines = [line.strip() for line in result["main.py"].splitlines()]
    clips = lines.index("torch.nn.utils.clip_grad_norm_(encoder.parameters(), 1.0)")
    assert lines[clips - 2 : clips] == ["xm.reduce_gradients(a)", "xm.reduce_gradients(b)"]
    assert "optimizer_step" not in result["steps.py"]


def test_a_partial_shifts_the_positions_that_are_passed_later() -> None:
    linked = link(
        {
            "main.py": "import torch\nfrom functools import partial\nfrom steps import train\n\n"
            "run = partial(train, torch.nn.Linear(1, 1))\nrun(torch.utils.data.DataLoader([1]))\n",
            "steps.py": "import torch\n\n\ndef train(model, loader):\n    pass\n",
        }
    )
    parameters = linked.links("steps.py").parameters
    assert [known.role.name for known in parameters["train", "model"]] == ["MODEL"]
    assert [known.role.name for known in parameters["train", "loader"]] == ["LOADER"]


def test_a_helper_of_another_file_that_moves_batches_shows_that_the_loop_computes_on_the_device() -> None:
    result = migrated(
        {
            "main.py": "import torch\nfrom moving import to_device\n\ndevice = torch.device('cuda')\n"
            "model = torch.nn.Linear(1, 1).to(device)\nloader = torch.utils.data.DataLoader([1])\n"
            "for batch in loader:\n    print(to_device(batch, device))\n",
            "moving.py": "def to_device(batch, device):\n    if isinstance(batch, list):\n"
            "        return [to_device(each, device) for each in batch]\n    return batch.to(device)\n",
        }
    )
    assert "pl.MpDeviceLoader(loader, device)" in result["main.py"]


def test_a_cpu_device_of_another_file_is_not_the_accelerator() -> None:
    step = "import torch\n\n\ndef run(model, place):\n    torch.cuda.synchronize()\n    return model.to(place)\n"
    call = "import torch\nfrom step import run\n\nrun(torch.nn.Linear(1, 1), torch.device('{}'))\n"
    told = [link({"main.py": call.format(name), "step.py": step}).links("step.py") for name in ("cpu", "cuda")]
    assert [links.parameters["run", "place"][0].of == "torch.device" for links in told] == [False, True]


def test_the_guard_goes_around_a_call_of_another_file_that_saves() -> None:
    result = migrated(
        {
            "main.py": "import torch\nimport torch.distributed as dist\nfrom saving import save\n\n"
            "dist.init_process_group('nccl')\nmodel = torch.nn.Linear(1, 1).cuda()\n"
            "if dist.get_rank() == 0:\n    save(model, 'model.pt')\n",
            "saving.py": "import torch\n\n\ndef save(model, path):\n    with open(path, 'wb') as f:\n"
            "        torch.save(model.state_dict(), f)\n",
        }
    )
    assert "\n    save(model, 'model.pt')\n" in result["main.py"]
    assert "if xr." not in result["main.py"]
    assert "    xm.save(model.state_dict(), path)\n" in result["saving.py"]


SOLVER = """\
import torch
from torch.nn.parallel import DistributedDataParallel


class Solver:
    def __init__(self, net):
        self.net = DistributedDataParallel(net)

    def write(self, path):
        torch.save(self.net.state_dict(), path)
"""
CALLER = """\
import torch
import torch.distributed as dist
from chosen import solver_for

dist.init_process_group("nccl")
solver = solver_for(torch.nn.Linear(1, 1).cuda())
if dist.get_rank() == 0:
    solver.save()
"""
WIDE = "from solver import Solver\n\n\nclass WideSolver(Solver):\n    def save(self):\n        self.write('net.pt')\n"


def test_the_guard_goes_where_a_factory_without_torch_and_a_base_lie_between_it_and_the_save() -> None:
    factory = "def solver_for(net):\n    from wide import WideSolver as Chosen\n    return Chosen(net)\n"
    sources = {"main.py": CALLER, "chosen.py": factory, "wide.py": WIDE, "solver.py": SOLVER}
    (main, *_) = (found for _, found in migrate_project(sources, target=Target.parse("smtc")))
    assert "if xm." not in main.result
    assert "TC604" not in [note.rule for note in main.notes]


def test_it_is_said_where_one_process_calls_what_may_save_of_an_object_that_is_not_known() -> None:
    factory = "import registry\nimport wide\n\n\ndef solver_for(net):\n    return registry.get('Wide')(net)\n"
    sources = {"main.py": CALLER, "chosen.py": factory, "wide.py": WIDE, "solver.py": SOLVER}
    for target, said in (("smtc", True), ("torch-xla==2.9", False)):
        (main, *_) = (found for _, found in migrate_project(sources, target=Target.parse(target)))
        assert ("TC604" in [note.rule for note in main.notes]) == said


WRAPPING = """\
import torch


def made(net):
    return torch.nn.DataParallel(net.cuda())


def step(net, optimizer, batch):
    net(batch.cuda()).mean().backward()
    optimizer.step()
    with open("steps.csv", "a") as log:
        log.write("one more")
"""


def test_it_is_said_where_no_script_is_seen_to_start_what_data_parallel_becomes() -> None:
    hidden = "import registry\nimport training\n\nif __name__ == '__main__':\n    registry.get('train')()\n"
    for script, said in ((hidden, True), ("import training\n\n\ndef helper():\n    pass\n", False)):
        found = dict(migrate_project({"main.py": script, "training.py": WRAPPING}, target=Target.parse("smtc")))
        rules = [note.rule for note in found["training.py"].notes]
        assert ("TC557" in rules, "TC611" in rules) == (said, not said)  # one process runs, and writes


def test_an_import_that_other_files_take_from_a_file_stays_there() -> None:
    common = "import torch.distributed as dist\n\n\ndef rank():\n    return dist.get_rank()\n"
    main = (
        "import torch\nfrom common import dist, rank\n\ntorch.distributed.init_process_group('nccl')\nprint(rank())\n"
    )
    taken = migrated({"main.py": main, "common.py": common})["common.py"]
    alone = migrated({"main.py": main.replace("dist, ", ""), "common.py": common})["common.py"]
    assert "import torch.distributed as dist\n" in taken
    assert "import torch.distributed as dist\n" not in alone
    assert "xr.global_ordinal()" in alone


def test_what_other_files_import_is_not_moved_into_a_function() -> None:
    state = (
        "import os\nimport torch\n\nif 'WORLD_SIZE' in os.environ:\n    torch.distributed.init_process_group('nccl')\n"
        "net = torch.nn.Linear(1, 1).cuda()\noptimizer = torch.optim.SGD(net.parameters(), lr=0.1)\noptimizer.step()\n"
    )
    main = "import torch\nfrom state import net\n\nprint(net(torch.ones(1, 1).cuda()))\n"
    assert "\nnet = torch.nn.Linear(1, 1).to(device)\n" in migrated({"main.py": main, "state.py": state})["state.py"]
    assert "\n    net = torch.nn.Linear(1, 1).to(device)\n" in migrated({"state.py": state})["state.py"]


def test_a_script_whose_import_joins_the_process_group_is_started_by_torch_xla() -> None:
    result = migrated(
        {
            "common.py": "import os\nimport torch\n\nlocal_rank = int(os.environ['LOCAL_RANK'])\n"
            "torch.distributed.init_process_group('nccl')\ndevice = torch.device('cuda', local_rank)\n",
            "train.py": "import torch\nimport common\n\n\ndef main():\n"
            "    print(torch.nn.Linear(4, 1).to(common.device))\n\n\nif __name__ == '__main__':\n    main()\n",
        }
    )
    assert "torch_xla.launch(_mp_fn)" in result["train.py"]
    assert 'device = torch.device("xla")' in result["common.py"]  # made before the processes start


def test_an_import_stays_unused_where_importing_the_file_does_something() -> None:
    common = "GPUS = [0, 1]\n"
    train = (
        "import torch\nfrom common import GPUS\n\n\ndef main():\n"
        "    model = torch.nn.DataParallel(torch.nn.Linear(2, 2).cuda(), device_ids=GPUS)\n"
        "    print(model)\n\n\nif __name__ == '__main__':\n    main()\n"
    )
    assert "common" not in migrated({"common.py": common, "train.py": train})["train.py"]
    seeding = migrated({"common.py": f"import torch\n\ntorch.manual_seed(0)\n{common}", "train.py": train})
    assert "from common import GPUS\n" in seeding["train.py"]


def test_files_below_a_folder_that_scripts_put_on_sys_path_are_of_one_program() -> None:
    """Also where its packages have no `__init__.py`, or hold a module of their own name."""
    script = "from core.loss import Loss\nfrom core import metrics\nfrom utils.utils import save\nimport models\n"
    paths = ("core/loss.py", "core/metrics.py", "utils/__init__.py", "utils/utils.py", "config/__init__.py")
    sources = {f"lib/{path}": "import torch\n" for path in (*paths, "config/models.py", "models/__init__.py")}
    sources |= {"tools/train.py": script + "import torch\n"}
    (view, *others) = sorted(find_programs(sources), key=lambda one: -len(one.members))
    assert {*sources} - {*view.members} == {"lib/config/__init__.py", "lib/config/models.py"}, others
    two = sources | {"old/core/loss.py": "import torch\n"}
    (view,) = [one for one in find_programs(two) if "tools/train.py" in one.members]
    assert not {"lib/core/loss.py", "old/core/loss.py"} & {*view.members}
