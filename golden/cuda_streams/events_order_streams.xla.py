import torch
import torch_xla


def export(tensor, stream):
    return tensor


def load(batch):
    batch = batch.cuda(non_blocking=True)
    return batch


def drain(losses):
    torch_xla.sync(wait=True)
    return losses
