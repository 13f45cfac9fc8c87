import torch
from torch2trt import torch2trt

from models import build

net = build("resnet18")
net.load_state_dict(torch.load("weights.pth"))
net.cuda().eval()
x = torch.randn(1, 3, 32, 32).cuda()
engine = torch2trt(net, [x], fp16_mode=True)
torch.save(engine.state_dict(), "engine.pth")
