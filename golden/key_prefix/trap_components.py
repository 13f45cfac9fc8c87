import torch
from torch import nn

backbone = nn.Sequential(nn.Linear(4, 2))
state = torch.load("lightning.ckpt", map_location="cpu")["state_dict"]
backbone.load_state_dict({k.split(".", 1)[1]: v for k, v in state.items()})
backbone.load_state_dict({".".join(k.split(".")[1:]): v for k, v in state.items()})
backbone.load_state_dict({"module." + k: v for k, v in state.items()})
words = {w[6:]: 1 for w in open("words.txt")}
