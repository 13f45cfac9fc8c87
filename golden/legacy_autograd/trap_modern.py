import torch
import torch.nn.functional as F

loss = F.mse_loss(model(x), y)
loss.backward(retain_graph=True)
print(loss.item(), loss.data, next(iter(loader)))
