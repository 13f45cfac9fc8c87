import torch
import torch_xla.core.xla_model as xm

net = torch.nn.Linear(2, 2)
xm.save(net.state_dict(), "net.pt")
xm.save({"net": net.state_dict(), "epoch": 3}, "ckpt.pt")
