"""Pitfall 19: map_location with an XLA device raises, and without one asks for CUDA."""
import torch
import torch_xla

device = torch_xla.device()
model = torch.nn.Linear(4, 2).to(device)
optimizer = torch.optim.Adam(model.parameters())
checkpoint = torch.load("last.pt", map_location="cpu")
model.load_state_dict(checkpoint["model"])
optimizer.load_state_dict(checkpoint["optimizer"])
model.load_state_dict(torch.load("best.pt", map_location="cpu"))
model.load_state_dict(torch.load("other.pt", map_location="cpu"))
