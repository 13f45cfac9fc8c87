import torch

state = torch.load("model.pt", map_location="cpu")
heads = {k.partition(".")[0]: v for k, v in state.items()}
tails = {k.rpartition("model.")[2]: v for k, v in state.items()}
cut = {k.partition(prefix)[2]: v for k, v in state.items()}
texts = {k.partition("=")[2]: v for k, v in state.items()}
