import torch
from torch.utils.data import DataLoader

from data import build_dataset, build_model
from engine import train_one_epoch
from schedules import Warmup
from updates import advance


def finetune():
    device = torch.device("cuda")
    model = build_model().to(device)
    loader = DataLoader(build_dataset(3), batch_size=16, shuffle=True, drop_last=True)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    warmup = Warmup(optimizer, 0.1)
    train_one_epoch(model, loader, warmup, device)

    for images, labels in loader:
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(model(images.to(device)), labels.to(device))
        loss.backward()
        advance(optimizer)


if __name__ == "__main__":
    finetune()
