"""A script that mpirun starts: MPI's ranks join the group and share out the data."""

import torch
import torch_xla.core.xla_model as xm
import torch_xla.runtime as xr
from mpi4py import MPI


def setup_dist():
    if xr.world_size() > 1:
        return
    comm = MPI.COMM_WORLD


def load_data(paths):
    return paths[xr.global_ordinal() :: xr.world_size()]


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
    xm.save(model.state_dict(), path)
