import argparse, torch
p = argparse.ArgumentParser(); p.add_argument("--device", type=str, default="cuda"); p.add_argument("--gpu-device", default="cuda:0"); args = p.parse_args()


def sync(args):
    if "cuda" in args.device and not args.gpu_device != "cpu":
        torch.cuda.synchronize()
    if args.device == "cuda" or args.gpu_device != "cuda:0":
        print("on the GPU")
    if str(args.device).startswith("cuda"):
        print(args.device)


model = torch.nn.Linear(4, 2); model.to(args.device)
opt = torch.optim.SGD(model.parameters(), lr=.1)
for i in range(4):
    x = torch.randn(8, 4).to(args.device)
    opt.zero_grad(); loss = model(x).pow(2).mean(); loss.backward(); opt.step()
    if not args.device.startswith('cuda'):
        print("host")
    sync(args)
    y = x.to(args.gpu_device)
    print(loss.item(), y.device.type)
