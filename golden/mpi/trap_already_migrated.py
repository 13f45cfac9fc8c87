"""torch_xla starts the processes, MPI counts the hosts: nothing to ask."""
import torch
import torch_xla
import torch_xla.core.xla_model as xm
from mpi4py import MPI


def _mp_fn(index):
    host = MPI.COMM_WORLD.Get_rank()
    device = xm.xla_device()
    print(host, torch.zeros(2, device=device).sum().item())


if __name__ == "__main__":
    torch_xla.launch(_mp_fn)
