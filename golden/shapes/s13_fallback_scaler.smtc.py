"""Shape 13: a stand-in class named GradScaler, and a scaler in checkpoints and log lines."""
import torch
import torch_xla.core.xla_model as xm
from torch_xla.amp import GradScaler, autocast, syncfree

device = xm.xla_device()
model = torch.nn.Linear(4, 2).to(device)
optimizer = syncfree.SGD(model.parameters(), lr=0.1)
scaler = GradScaler()
for step in range(3):
    with autocast():
        loss = model(torch.randn(8, 4).to(device)).pow(2).mean()
    optimizer.zero_grad()
    scaler.scale(loss).backward()
    scaler.step(optimizer)
    scaler.update()
    xm.mark_step()
    print("step", step, "scale", scaler.get_scale())
state = {"model": model.state_dict()}
state["scaler"] = scaler.state_dict()
xm.save(state, "last.pt")
