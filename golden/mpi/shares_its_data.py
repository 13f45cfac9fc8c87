"""A script that mpirun starts: MPI's ranks join the group and share out the data."""

import os
import socket

import torch
import torch.distributed as dist
from mpi4py import MPI


def setup_dist():
    if dist.is_initialized():
        return
    comm = MPI.COMM_WORLD
    os.environ["MASTER_ADDR"] = comm.bcast(socket.gethostname(), root=0)
    os.environ["RANK"] = str(comm.rank)
    os.environ["WORLD_SIZE"] = str(comm.size)
    dist.init_process_group(backend="nccl", init_method="env://")


def load_data(paths):
    return paths[MPI.COMM_WORLD.Get_rank() :: MPI.COMM_WORLD.Get_size()]


def load_state(path):
    if MPI.COMM_WORLD.Get_rank() == 0:
        state = torch.load(path, map_location="cpu")
        MPI.COMM_WORLD.bcast(state)
        return state
    return MPI.COMM_WORLD.bcast(None)


def mean_of(value):
    comm = MPI.COMM_WORLD
    return sum(comm.allgather(value)) / comm.Get_size()


def save(model, path):
    comm = MPI.COMM_WORLD
    if comm.rank == 0:
        torch.save(model.state_dict(), path)
