import os

import torch
import torch.distributed as dist
import torch_xla.core.xla_model as xm


def save_model(model, model_dir):
    # The serving container looks for this name.
    xm.save(model.state_dict(), os.path.join(model_dir, "model.pth"))


def save_with_header(model, path):
    with open(path, "wb") as f:
        f.write(b"v1")
        xm.save(model.state_dict(), f)


def main(model, args):
    dist.init_process_group("nccl")
    save_model(model, args.model_dir)
