import torch
from torch.utils.data import DataLoader
import torch_xla.distributed.parallel_loader as pl


def train_model(model, criterion, optimizer, image_datasets, num_epochs=25):
    device = torch.device("cuda:0")
    dataloaders = {x: DataLoader(image_datasets[x], batch_size=4, shuffle=True) for x in ["train", "val"]}
    for epoch in range(num_epochs):
        for phase in ["train", "val"]:
            model.train(phase == "train")
            for inputs, labels in pl.MpDeviceLoader(dataloaders[phase], device):
                optimizer.zero_grad()
                with torch.set_grad_enabled(phase == "train"):
                    loss = criterion(model(inputs), labels)
                    if phase == "train":
                        loss.backward()
                        optimizer.step()
