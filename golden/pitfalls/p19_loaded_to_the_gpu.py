"""Pitfall 19: map_location with an XLA device raises, and without one asks for CUDA."""
import torch

device = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")
model = torch.nn.Linear(4, 2).to(device)
optimizer = torch.optim.Adam(model.parameters())
checkpoint = torch.load("last.pt", map_location=device)
model.load_state_dict(checkpoint["model"])
optimizer.load_state_dict(checkpoint["optimizer"])
model.load_state_dict(torch.load("best.pt"))
model.load_state_dict(torch.load("other.pt", map_location=lambda storage, loc: storage.cuda(0)))
