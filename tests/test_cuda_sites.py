"""The second opinion on what is left of CUDA sees what it should, and no more."""

from __future__ import annotations

import pytest

from codemods.kit.rules import Note, Severity
from migrate.migration import Migration, Status
from tests.cuda_sites import cuda_sites, silent_leftovers


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("import torch\ntorch.cuda.synchronize()\n", "torch.cuda.synchronize"),
        ("from torch import cuda\nf = cuda.empty_cache\n", "torch.cuda.empty_cache"),
        ("import torch.backends.cudnn as cudnn\nprint(cudnn.benchmark)\n", "torch.backends.cudnn.benchmark"),
        ("import torch.distributed as dist\ndist.barrier()\n", "torch.distributed.barrier"),
        ("from torch.nn.parallel import DistributedDataParallel as DDP\nm = DDP(m)\n",
         "torch.nn.parallel.DistributedDataParallel"),
        ("from apex import amp\namp.init()\n", "apex.amp.init"),
        ("x.cuda()\n", ".cuda()"),
        ("x.pin_memory()\n", ".pin_memory()"),
        ("f(pin_memory=True)\n", "pin_memory=True"),
        ("ok = x.is_cuda\n", ".is_cuda"),
        ("x.to('cuda:1')\n", '"cuda:1"'),
        ("f(x, device='cuda')\n", '"cuda"'),
        ("f(x, device=f'cuda:{i}')\n", "a CUDA device"),
        ("import torch\nd = torch.device('cuda')\n", '"cuda"'),
        ("import torch\nd = torch.accelerator.current_accelerator()\n", "torch.accelerator.current_accelerator"),
    ],
)  # fmt: skip
def test_sees(source: str, found: str) -> None:
    assert [what for _, what in cuda_sites(source)] == [found]


@pytest.mark.parametrize(
    "source",
    [
        "print('cuda', torch.cuda)\n",  # torch is bound by nothing here
        "import torch\nx = torch.zeros(2).to('cpu')\n",
        "import torch\nhasattr(torch.cuda, 'amp')\n",
        "import torch\ndef f(e: torch.cuda.Event) -> None: pass\n",
        "parser.add_argument('--device', default='cuda')\n",
        "import torch.distributed as dist\ndist.init_process_group('xla')\ndist.barrier()\n",
        "import torch.distributed.rpc as rpc\nrpc.shutdown()\n",
        "import mylib.cuda as cuda\ncuda.synchronize()\n",
    ],
)
def test_does_not_see(source: str) -> None:
    assert cuda_sites(source) == []


def _migration(source: str, result: str, *lines: int) -> Migration:
    notes = tuple(Note("TC000", line, Severity.INFO, "", "", "", "") for line in lines)
    return Migration("-", "smtc", Status.MIGRATED, source, result, notes=notes)


def test_leftovers_are_told_by_the_lines_of_the_source() -> None:
    source = "import torch\nx = 1\ntorch.cuda.a()\ntorch.cuda.b()\n"
    result = "import torch\nimport torch_xla\nx = 1\ntorch.cuda.a()\ntorch.cuda.b()\n"
    assert silent_leftovers(_migration(source, result)) == [(3, "torch.cuda.a"), (4, "torch.cuda.b")]
    assert silent_leftovers(_migration(source, result, 3)) == [(4, "torch.cuda.b")]


def test_a_note_speaks_for_its_whole_statement_and_no_further() -> None:
    source = "import torch\nf(\n    torch.cuda.a(),\n)\nif x:\n    torch.cuda.b()\n"
    assert silent_leftovers(_migration(source, source, 2, 5)) == [(6, "torch.cuda.b")]
