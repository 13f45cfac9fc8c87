import torch

to_np = lambda x: x.detach().cpu().float().numpy()

def stats(tensor):
    return {"mean": to_np(torch.mean(tensor)), "max": to_np(torch.max(tensor))}
