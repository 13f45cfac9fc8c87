import torch
import torch_xla


def build(model, args):
    device = torch_xla.device()
    model = model.to(device)
    n = torch.cuda.device_count()
    return model, n
