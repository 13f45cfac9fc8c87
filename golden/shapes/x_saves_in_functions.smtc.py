"""A saving method that saves through a function of its own, an in-memory copy, and a file that is read back."""
import io
import os

import torch
import torch_xla.core.xla_model as xm


class Trainer:
    def __init__(self, model, directory):
        device = xm.xla_device()
        self.model = model.to(device)
        xm.collective_broadcast(list(self.model.parameters()) + list(self.model.buffers()))
        xm.mark_step()
        self.directory = directory

    def save(self, name, is_best):
        def write(state, filename):
            filename = os.path.join(self.directory, filename)
            if xm.is_master_ordinal(local=False):
                print(f"writes {filename}")
            xm.save(state, filename)

        state = {"model": self.model.state_dict()}
        if name is not None:
            write(state, f"{name}.pth")

        if is_best:
            write(state, "best.pth")

    def run(self, epochs):
        for epoch in range(epochs):
            self.save(epoch, epoch == epochs - 1)

    def copied(self):
        memory = io.BytesIO()
        torch.save(self.model.state_dict(), memory)
        memory.seek(0)
        return torch.load(memory, map_location="cpu")


def finish(model, directory):
    path = os.path.join(directory, "last.pth")
    xm.save(model.state_dict(), path)
    model.load_state_dict(torch.load(path, map_location="cpu"))


def main():
    model = torch.nn.Linear(10, 2)
    Trainer(model, "out").run(3)
    finish(model, "out")


def _mp_fn(index):
    main()


if __name__ == "__main__":
    main()
