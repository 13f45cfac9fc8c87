import torch
from their_library import NativeScaler
from torch.utils.data import DataLoader


def train_one_epoch(model, criterion, dataset, optimizer: torch.optim.Optimizer, device):
    loss_scaler = NativeScaler()
    optimizer.zero_grad()
    for samples, targets in DataLoader(dataset):
        loss = criterion(model(samples.to(device)), targets.to(device))
        loss_value = loss.item()
        second_order = hasattr(optimizer, "is_second_order")
        loss_scaler(loss, optimizer, clip_grad=1.0, parameters=model.parameters(), create_graph=second_order)
