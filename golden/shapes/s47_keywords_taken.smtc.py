import torch
import torch.nn.functional as F
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl


class Trainer:
    def __init__(self, **kwargs):
        self.model = kwargs["model"]
        self.opt = kwargs.get("opt")
        self.batches = kwargs["batches"]
        device = xm.xla_device()
        self.model.to(device)

    def train(self):
        device = xm.xla_device()
        for images, labels in pl.MpDeviceLoader(self.batches, device):
            self.opt.zero_grad()
            F.cross_entropy(self.model(images), labels).backward()
            xm.optimizer_step(self.opt)


def main():
    net = torch.nn.Linear(4, 2)
    device = xm.xla_device()
    net.to(device)
    sgd = torch.optim.SGD(net.parameters(), lr=0.1)
    data = torch.utils.data.TensorDataset(torch.randn(32, 4), torch.randint(0, 2, (32,)))
    Trainer(model=net, opt=sgd, batches=torch.utils.data.DataLoader(data, batch_size=8)).train()


if __name__ == "__main__":
    main()
