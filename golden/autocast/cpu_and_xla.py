import torch

with torch.autocast("cpu", dtype=torch.bfloat16):
    net(x)
with torch.autocast("xla", dtype=torch.bfloat16):
    net(x)
with torch.cpu.amp.autocast():
    net(x)
