import torch
from mylib.optim import SGD, Adam

scaler = torch.cuda.amp.GradScaler()
a = SGD(net.parameters(), lr=0.1)
b = Adam(net.parameters())
a.step()
b.step()
