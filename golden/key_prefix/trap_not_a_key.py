import torch

state = torch.load("model.pt", map_location="cpu")
names = [k.partition("model.")[2] for k in state]
sizes = {k: k.partition("model.")[2] for k in state}
