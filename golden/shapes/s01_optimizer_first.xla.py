"""Objects are loaded in one function, with their optimizer; the trainer moves the model."""
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl


class Trainer:
    def __init__(self, model, train_data, optimizer, gpu_id):
        self.gpu_id = gpu_id
        self.model = model.to(device)
        self.train_data = train_data
        self.optimizer = optimizer

    def _run_batch(self, source, targets):
        self.optimizer.zero_grad()
        loss = nn.functional.mse_loss(self.model(source), targets)
        loss.backward()
        xm.optimizer_step(self.optimizer)

    def train(self, epochs):
        for epoch in range(epochs):
            for source, targets in pl.MpDeviceLoader(self.train_data, device):
                self._run_batch(source, targets)


def load_train_objs():
    train_set = TensorDataset(torch.randn(64, 20), torch.randn(64, 1))
    model = nn.Linear(20, 1)
    model.to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
    return train_set, model, optimizer


def main(device, epochs):
    dataset, model, optimizer = load_train_objs()
    train_data = DataLoader(dataset, batch_size=16, shuffle=True, drop_last=True)
    Trainer(model, train_data, optimizer, device).train(epochs)


if __name__ == "__main__":
    device = torch_xla.device()  # shorthand for cuda:0
    main(device, 2)
