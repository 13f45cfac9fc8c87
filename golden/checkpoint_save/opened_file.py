import os

import torch
import torch.distributed as dist


def save_model(model, model_dir):
    # The serving container looks for this name.
    with open(os.path.join(model_dir, "model.pth"), "wb") as f:
        torch.save(model.state_dict(), f)


def save_with_header(model, path):
    with open(path, "wb") as f:
        f.write(b"v1")
        torch.save(model.state_dict(), f)


def main(model, args):
    dist.init_process_group("nccl")
    if dist.get_rank() == 0:
        save_model(model, args.model_dir)
