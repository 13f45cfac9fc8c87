import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from trainer import Trainer


def build(model):
    groups = []
    for name, p in dict(model.named_parameters()).items():
        groups.append({"params": [p], "weight_decay": 0.0 if "bias" in name else 1e-4})
    return torch.optim.SGD(groups, lr=0.1)


def main():
    model = nn.Linear(4, 2)
    optimizer = build(model)
    loader = DataLoader(TensorDataset(torch.randn(64, 4), torch.randint(2, (64,))), batch_size=8)
    Trainer(model, optimizer, loader).train()


if __name__ == "__main__":
    main()
