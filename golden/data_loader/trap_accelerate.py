import torch
from accelerate import Accelerator
from torch.utils.data import DataLoader

accelerator = Accelerator()
loader = DataLoader(dataset, batch_size=8)
model = torch.nn.Linear(4, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
for x, y in loader:
    loss = torch.nn.functional.cross_entropy(model(x), y)
    accelerator.backward(loss)
    optimizer.step()
    torch.cuda.empty_cache()
