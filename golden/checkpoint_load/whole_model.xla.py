import torch
import torch_xla

device = torch_xla.device()
model = torch.nn.Linear(4, 1).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)


def test(net, path):
    net = torch.load(path, weights_only=False, map_location="cpu").to(device)
    net.eval()
    return net(torch.zeros(1, 4).cuda())


with open("best.pt", "rb") as file:
    model = torch.load(file, map_location="cpu").to(device)
test(model, "last.pt")


def resume(args):
    if args.resume:
        model = torch.load(args.resume, map_location="cpu").to(device)
    else:
        model = torch.nn.Linear(4, 1)
        model.cuda()
    again = torch.load("again.pt", map_location="cpu")
    again.cuda()
    return model


def on_cpu():
    model = torch.load("best.pt", map_location="cpu")
    return model
