import torch

extra = dict(fused=True)
options = {"fused": True, "lr": 0.1}
choice = dict(fused=True) if torch.cuda.is_available() else dict()
optimizer = torch.optim.AdamW(model.parameters(), **extra)
second = torch.optim.AdamW(model.parameters(), **options)
third = torch.optim.AdamW(model.parameters(), **{"fused": True})
fourth = torch.optim.AdamW(model.parameters(), **choice)
