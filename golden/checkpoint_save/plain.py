import torch

net = torch.nn.Linear(2, 2)
torch.save(net.state_dict(), "net.pt")
torch.save(obj={"net": net.state_dict(), "epoch": 3}, f="ckpt.pt", _use_new_zipfile_serialization=False)
