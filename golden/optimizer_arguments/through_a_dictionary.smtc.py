import torch

extra = dict()
options = {"lr": 0.1}
choice = dict()
optimizer = torch.optim.AdamW(model.parameters(), **extra)
second = torch.optim.AdamW(model.parameters(), **options)
third = torch.optim.AdamW(model.parameters(), **{})
fourth = torch.optim.AdamW(model.parameters(), **choice)
