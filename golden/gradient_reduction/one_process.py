import torch
from torch.cuda.amp import GradScaler

model = torch.nn.Linear(4, 1).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
scaler = GradScaler()
for i in range(100):
    scaler.scale(model(torch.randn(2, 4).cuda()).mean()).backward()
    scaler.step(optimizer)
    scaler.update()
