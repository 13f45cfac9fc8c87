import torch
import torch_xla.core.xla_model as xm


def build(model, args):
    device = xm.xla_device()
    model = model.to(device)
    n = torch.cuda.device_count()
    return model, n
