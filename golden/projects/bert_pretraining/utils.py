import os

import torch
import torch.distributed as dist


def get_rank():
    if not dist.is_available():
        return 0
    if not dist.is_initialized():
        return 0
    return dist.get_rank()


def get_world_size():
    if not dist.is_available():
        return 1
    if not dist.is_initialized():
        return 1
    return dist.get_world_size()


def is_main_process():
    return get_rank() == 0


def barrier():
    if dist.is_available() and dist.is_initialized():
        dist.barrier()


def save_checkpoint(output_dir, model, optimizer, global_step):
    if not is_main_process():
        return
    model_to_save = model.module if hasattr(model, "module") else model
    path = os.path.join(output_dir, "ckpt_{}.pt".format(global_step))
    torch.save({"model": model_to_save.state_dict(), "optimizer": optimizer.state_dict(), "step": global_step}, path)


def load_checkpoint(path, model):
    checkpoint = torch.load(path, map_location="cuda")
    model.load_state_dict(checkpoint["model"])
    return checkpoint["step"]
