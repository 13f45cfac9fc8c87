"""Labels say which elements of an array are meant: the host reads them one by one, and they stay there."""
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset
import torch_xla
import torch_xla.core.xla_model as xm

device = torch_xla.device()


def main():
    torch.manual_seed(0)
    torch_xla.manual_seed(0)
    model = nn.Linear(8, 4).to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    data = TensorDataset(torch.randn(32, 4), torch.randint(0, 4, (32,)), torch.randint(0, 4, (32,)))
    loader = DataLoader(data, batch_size=8, shuffle=True, drop_last=True)
    for epoch in range(2):
        for points, label, part in loader:
            one_hot = np.zeros((label.shape[0], 4))
            for index in range(label.shape[0]):
                one_hot[index, label[index]] = 1
            one_hot = torch.from_numpy(one_hot.astype(np.float32))
            points, one_hot, part = points.to(device), one_hot.to(device), part.to(device)
            loss = F.cross_entropy(model(torch.cat((points, one_hot), 1)), part)
            optimizer.zero_grad()
            loss.backward()
            xm.optimizer_step(optimizer, barrier=True)
        print(f"epoch {epoch}, loss {loss.item():.4f}")


if __name__ == "__main__":
    main()
