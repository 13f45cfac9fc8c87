import torch
from torch.utils.data import DataLoader, TensorDataset
import torch_xla

from config import TrainConfig
from engine import accuracy, fit
from net import build_net


def main():
    config = TrainConfig()
    torch.manual_seed(config.seed)
    torch_xla.manual_seed(int(config.seed))
    features = torch.randn(24, 3)
    labels = (features.sum(dim=1) > 0).long()
    loader = DataLoader(TensorDataset(features, labels), batch_size=config.batch_size, shuffle=True)

    net = build_net().to(config.device)
    optimizer = torch.optim.SGD(net.parameters(), lr=config.lr, momentum=0.9)
    fit(net, loader, optimizer, config)
    print(f"accuracy {accuracy(net, loader, config):.3f}")


if __name__ == "__main__":
    main()
