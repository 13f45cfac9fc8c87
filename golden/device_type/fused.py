import torch


def build(model, device):
    model.to(device)
    extra = dict(fused=True) if device.type == "cuda" else {}
    opt = torch.optim.AdamW(model.parameters(), fused=device.type == "cuda")
    return opt, extra


def by_tensor(name, model, params):
    fused = {"fused": True} if name == "AdamW" and next(model.parameters()).is_cuda else {}
    return torch.optim.AdamW(params, **fused)
