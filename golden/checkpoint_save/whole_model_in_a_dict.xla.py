import torch
import torch_xla.core.xla_model as xm

model = torch.nn.Linear(4, 1).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range(3):
    loss = model(torch.zeros(1, 4).cuda()).mean()
    loss.backward()
    optimizer.step()
    checkpoint = {"model": model, "epoch": epoch, "optimizer": optimizer.state_dict()}
    xm.save(checkpoint, f"model_{epoch}.pt")
