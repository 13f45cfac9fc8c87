"""The trainer of one data set."""

import os

import torch
from torch import nn, optim
from torch.utils.data import DataLoader, Dataset


class Organs(Dataset):
    def __len__(self):
        return 32

    def __getitem__(self, index):
        generator = torch.Generator().manual_seed(index)
        image = torch.randn(1, 8, 8, generator=generator)
        return {"image": image, "label": (image[0] > 0).long(), "case": f"case{index}"}


def train_organs(args, model):
    batch_size = args.batch_size * args.n_gpu
    loader = DataLoader(Organs(), batch_size=batch_size, shuffle=True, drop_last=True, pin_memory=True)
    if args.n_gpu > 1:
        model = nn.DataParallel(model)
    model.train()
    criterion = nn.CrossEntropyLoss()
    optimizer = optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    for epoch in range(args.epochs):
        for batch in loader:
            image, label = batch["image"].cuda(), batch["label"].cuda()
            loss = criterion(model(image), label)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        torch.save(model.state_dict(), os.path.join(".", f"epoch_{epoch}.pth"))
    return "done"
