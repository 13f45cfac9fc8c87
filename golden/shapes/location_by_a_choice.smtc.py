import torch
import torch_xla.core.xla_model as xm
sd = torch.load('m.bin', map_location="cpu")
device = xm.xla_device()
net = torch.nn.Linear(2, 2)
net.load_state_dict(sd)
net.to(device)
