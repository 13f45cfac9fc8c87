from collections import OrderedDict

import torch
from torch import nn

net = nn.Sequential(nn.Linear(4, 2))
state = torch.load("ckpt.pt", map_location="cpu")["state_dict"]
net.load_state_dict({'.'.join(k.split('.')[1:]): v for k, v in state.items()})  # off with `module.`
net.load_state_dict({k[7:]: v for k, v in state.items()})
net.load_state_dict(OrderedDict((key.split("module.")[1], state[key]) for key in state))
net.load_state_dict({k[7:]: v for k, v in state.items() if k.startswith("module.")})
net.load_state_dict({k[7:] if k.startswith("module.") else k: v for k, v in state.items()})
net.load_state_dict({k.replace("module.", ""): v for k, v in state.items()})
new = OrderedDict()
for k, v in state.items():
    name = k[7:]  # remove `module.`
    new[name] = v
for k, v in state.items():
    new[k.split(".", 1)[1]] = v
    stem = k.split(".")[1]
    print(stem, k[7:])
net = nn.DataParallel(net.cuda())
net.load_state_dict({"module." + k: v for k, v in new.items()}, strict=False)
net.load_state_dict({f"module.{k}": v for k, v in new.items()})
