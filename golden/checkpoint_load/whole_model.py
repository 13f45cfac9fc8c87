import torch

model = torch.nn.Linear(4, 1).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)


def test(net, path):
    net = torch.load(path)
    net.eval()
    return net(torch.zeros(1, 4).cuda())


with open("best.pt", "rb") as file:
    model = torch.load(file)
test(model, "last.pt")


def resume(args):
    if args.resume:
        model = torch.load(args.resume, map_location=lambda storage, location: storage.cuda(0))
    else:
        model = torch.nn.Linear(4, 1)
        model.cuda()
    again = torch.load("again.pt")
    again.cuda()
    return model


def on_cpu():
    model = torch.load("best.pt", map_location="cpu")
    return model
