"""Methods that save are called by one process, of objects that nothing here shows."""
import importlib

import torch
import torch.distributed as dist
from PIL import Image
from torch.nn.parallel import DistributedDataParallel
import torch_xla.core.xla_model as xm


class Solver:
    def __init__(self, net):
        self.net = DistributedDataParallel(net)

    def save(self, step):
        self.write(f"net_{step}.pt")

    def write(self, path):
        xm.save(self.net.state_dict(), path)


def solver_for(name):
    return getattr(importlib.import_module("solvers"), name)


def main(name, net):
    dist.init_process_group("nccl")
    solver = solver_for(name)(net)
    picture = Image.open("example.png")
    if dist.get_rank() == 0:
        picture.save("copy.png")
        solver.save(1)
    keep(solver)
    solver.write("everybody.pt")


def keep(solver):
    if dist.get_rank() > 0:
        return
    solver.write("last.pt")
