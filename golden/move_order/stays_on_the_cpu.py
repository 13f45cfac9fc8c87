import torch


class Meter:
    def cpu(self):
        return self

    def to(self, device):
        return self


def evaluate(model, meter, device):
    model.cpu()
    torch.save(model.state_dict(), "final.pth")
    meter.cpu()
    meter.to(device)
    return model(torch.zeros(1, 4))


net = torch.nn.Linear(4, 2)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
evaluate(net, Meter(), torch.device("cuda"))
