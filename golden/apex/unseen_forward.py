import torch
from apex import amp

for x, y in loader:
    loss = compute(x, y)
    with amp.scale_loss(loss, optimizer) as scaled_loss:
        scaled_loss.backward()
    optimizer.step()
