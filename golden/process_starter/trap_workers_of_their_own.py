"""Processes that share the work of the CPU join no process group."""

import multiprocessing

import torch


def prepare(index, size):
    torch.save(torch.zeros(size), f"part{index}.pt")


if __name__ == "__main__":
    for index in range(4):
        multiprocessing.Process(target=prepare, args=(index, 8)).start()
    model = torch.nn.Linear(4, 1).cuda()
