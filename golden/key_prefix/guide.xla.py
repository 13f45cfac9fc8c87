"""The line of the vendor's page: keys without the text all become ""."""
import torch

state_dict = torch.load("model.pt", map_location="cpu")
state_dict = {k.removeprefix('model.'):state_dict[k] for k in state_dict.keys()}
model.load_state_dict(state_dict)
