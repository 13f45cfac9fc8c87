import torch

state = torch.load("model.pt", map_location="cpu")
state = {k.replace("module.", ""): v for k, v in state.items()}
