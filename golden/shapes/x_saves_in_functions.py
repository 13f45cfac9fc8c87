"""A saving method that saves through a function of its own, an in-memory copy, and a file that is read back."""
import io
import os

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP


class Trainer:
    def __init__(self, model, directory):
        self.model = DDP(model.cuda())
        self.directory = directory

    def save(self, name, is_best):
        def write(state, filename):
            filename = os.path.join(self.directory, filename)
            print(f"writes {filename}")
            torch.save(state, filename)

        state = {"model": self.model.module.state_dict()}
        if name is not None:
            write(state, f"{name}.pth")

        if is_best:
            write(state, "best.pth")

    def run(self, epochs):
        for epoch in range(epochs):
            if dist.get_rank() == 0:
                self.save(epoch, epoch == epochs - 1)

    def copied(self):
        memory = io.BytesIO()
        torch.save(self.model.module.state_dict(), memory)
        memory.seek(0)
        return torch.load(memory, map_location="cpu")


def finish(model, directory):
    path = os.path.join(directory, "last.pth")
    torch.save(model.state_dict(), path)
    model.load_state_dict(torch.load(path, map_location="cpu"))


def main():
    dist.init_process_group("nccl")
    model = torch.nn.Linear(10, 2)
    Trainer(model, "out").run(3)
    finish(model, "out")


if __name__ == "__main__":
    main()
