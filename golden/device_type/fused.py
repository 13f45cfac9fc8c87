import torch


def build(model, device):
    model.to(device)
    extra = dict(fused=True) if device.type == "cuda" else {}
    opt = torch.optim.AdamW(model.parameters(), fused=device.type == "cuda")
    return opt, extra
