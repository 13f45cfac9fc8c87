import torch
import torch_xla
sd = torch.load('m.bin', map_location="cpu")
device = torch_xla.device()
net = torch.nn.Linear(2, 2)
net.load_state_dict(sd)
net.to(device)
