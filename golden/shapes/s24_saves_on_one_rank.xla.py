"""Shape 24: saves inside `if rank == 0`, of a whole model, and loads with map_location lambdas."""
import os
import shutil

import torch
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.runtime as xr


def save_checkpoint(state, is_best, folder):
    path = os.path.join(folder, "last.pt")
    xm.save(state, path)
    if is_best and xm.is_master_ordinal(local=False):
        shutil.copyfile(path, os.path.join(folder, "best.pt"))


def main():
    rank = xr.global_ordinal()
    torch.manual_seed(0)
    torch_xla.manual_seed(0)
    device = torch_xla.device()
    model = torch.nn.Linear(4, 1).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    if os.path.exists("last.pt"):
        state = torch.load("last.pt", map_location=lambda storage, loc: storage)
        torch.nn.modules.utils.consume_prefix_in_state_dict_if_present(state["model"], "module.")
        model.load_state_dict(state["model"])
    for epoch in range(2):
        model(torch.randn(8, 4).to(device)).pow(2).mean().backward()
        xm.optimizer_step(optimizer, barrier=True)
        if rank == 0:
            os.makedirs("out", exist_ok=True)
        save_checkpoint({"model": model.state_dict(), "epoch": epoch}, epoch == 0, "out")
        if rank == 0:
            print("saved epoch", epoch)
    if rank == 0:
        torch.save(model, "whole.pt")


def _mp_fn(index):
    main()


if __name__ == "__main__":
    torch_xla.launch(_mp_fn)
