import torch
import torch_xla.core.xla_model as xm


def export(tensor, stream):
    return tensor


def load(batch):
    batch = batch.cuda(non_blocking=True)
    return batch


def drain(losses):
    xm.mark_step()
    xm.wait_device_ops()
    return losses
