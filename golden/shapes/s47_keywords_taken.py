import torch
import torch.nn.functional as F


class Trainer:
    def __init__(self, **kwargs):
        self.model = kwargs["model"]
        self.opt = kwargs.get("opt")
        self.batches = kwargs["batches"]
        self.model.cuda()

    def train(self):
        for images, labels in self.batches:
            self.opt.zero_grad()
            F.cross_entropy(self.model(images.cuda()), labels.cuda()).backward()
            self.opt.step()


def main():
    net = torch.nn.Linear(4, 2)
    sgd = torch.optim.SGD(net.parameters(), lr=0.1)
    data = torch.utils.data.TensorDataset(torch.randn(32, 4), torch.randint(0, 2, (32,)))
    Trainer(model=net, opt=sgd, batches=torch.utils.data.DataLoader(data, batch_size=8)).train()


if __name__ == "__main__":
    main()
