"""Trains in one process on all GPUs, or in one process for each that torchrun starts with `--parallel yes`."""
import argparse

import torch
from processes import join, rank_and_count
from solvers.chosen import solver_for
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler


def load(options):
    draw = torch.Generator().manual_seed(1)
    data = TensorDataset(torch.randn(64, 8, generator=draw), torch.randn(64, 1, generator=draw))
    if options["parallel"]:
        sampler = DistributedSampler(data, shuffle=True, drop_last=True)
        share = 16 // options["processes"]
        return DataLoader(data, batch_size=share, sampler=sampler, drop_last=True), sampler
    return DataLoader(data, batch_size=16, shuffle=True, drop_last=True), None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--solver", default="plain")
    parser.add_argument("--parallel", default=False)
    options = {"folder": "."}
    options["solver"] = parser.parse_args().solver
    options["parallel"] = parser.parse_args().parallel
    if options["parallel"]:
        join()
    options["rank"], options["processes"] = rank_and_count()
    torch.manual_seed(17 + options["rank"])
    loader, sampler = load(options)
    solver = solver_for(options)
    if options["rank"] == 0:
        print(solver.weights())
    for epoch in range(2):
        if options["parallel"]:
            sampler.set_epoch(epoch)
        for x, y in loader:
            solver.take(x, y)
            solver.improve()
        if epoch % 2 == 1 and options["rank"] == 0:
            print("saves after epoch", epoch)
            solver.save(epoch)


if __name__ == "__main__":
    main()
