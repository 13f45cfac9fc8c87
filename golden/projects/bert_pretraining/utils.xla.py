import os

import torch
import torch_xla.core.xla_model as xm
import torch_xla.runtime as xr


def get_rank():
    if xr.world_size() == 1:
        return 0
    return xr.global_ordinal()


def get_world_size():
    if xr.world_size() == 1:
        return 1
    return xr.world_size()


def is_main_process():
    return get_rank() == 0


def barrier():
    if xr.world_size() > 1:
        xm.rendezvous("barrier")


def save_checkpoint(output_dir, model, optimizer, global_step):
    model_to_save = model
    path = os.path.join(output_dir, "ckpt_{}.pt".format(global_step))
    xm.save({"model": model_to_save.state_dict(), "optimizer": optimizer.state_dict(), "step": global_step}, path)


def load_checkpoint(path, model):
    checkpoint = torch.load(path, map_location="cpu")
    torch.nn.modules.utils.consume_prefix_in_state_dict_if_present(checkpoint["model"], "module.")
    model.load_state_dict(checkpoint["model"])
    return checkpoint["step"]
