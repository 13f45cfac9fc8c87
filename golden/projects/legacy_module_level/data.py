import torch
import torch.utils.data as Data

import config

generator = torch.Generator().manual_seed(3)
x = torch.linspace(-1, 1, 16).view(-1, 1).repeat(1, 3) + 0.1 * torch.randn(16, 3, generator=generator)
y = x.pow(2).sum(1, keepdim=True)

train_loader = Data.DataLoader(dataset=Data.TensorDataset(x, y), batch_size=config.batch_size, shuffle=True)
test_loader = Data.DataLoader(dataset=Data.TensorDataset(x[:8], y[:8]), batch_size=config.batch_size, shuffle=False)
