import argparse, torch
import torch_xla.core.xla_model as xm
p = argparse.ArgumentParser(); p.add_argument("--device", type=str, default="cuda"); p.add_argument("--gpu-device", default="cuda:0"); args = p.parse_args()


def sync(args):
    if device.type == "xla" and not args.gpu_device != "cpu":
        xm.mark_step()
        xm.wait_device_ops()
    if device.type == "xla" or device.type != "xla":
        print("on the GPU")
    if device.type == "xla":
        print(args.device)


device = xm.xla_device()
model = torch.nn.Linear(4, 2)
model.to(device)
opt = torch.optim.SGD(model.parameters(), lr=.1)
for i in range(4):
    x = torch.randn(8, 4).to(device)
    opt.zero_grad(); loss = model(x).pow(2).mean(); loss.backward(); xm.optimizer_step(opt, barrier=True)
    if not device.type == 'xla':
        print("host")
    sync(args)
    y = x.to(device)
    print(loss.item(), y.device.type)
