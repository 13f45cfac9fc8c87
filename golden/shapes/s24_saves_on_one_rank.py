"""Shape 24: saves inside `if rank == 0`, of a whole model, and loads with map_location lambdas."""
import os
import shutil

import torch
import torch.distributed as dist


def save_checkpoint(state, is_best, folder):
    path = os.path.join(folder, "last.pt")
    torch.save(state, path)
    if is_best:
        shutil.copyfile(path, os.path.join(folder, "best.pt"))


def main():
    rank = int(os.environ["RANK"])
    dist.init_process_group("nccl")
    torch.manual_seed(0)
    model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(4, 1).cuda())
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    if os.path.exists("last.pt"):
        state = torch.load("last.pt", map_location=lambda storage, loc: storage)
        model.load_state_dict(state["model"])
    for epoch in range(2):
        model(torch.randn(8, 4).cuda()).pow(2).mean().backward()
        optimizer.step()
        if rank == 0:
            os.makedirs("out", exist_ok=True)
            save_checkpoint({"model": model.state_dict(), "epoch": epoch}, epoch == 0, "out")
            print("saved epoch", epoch)
    if rank == 0:
        torch.save(model.module, "whole.pt")


if __name__ == "__main__":
    main()
