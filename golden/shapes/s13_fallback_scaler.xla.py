"""Shape 13: a stand-in class named GradScaler, and a scaler in checkpoints and log lines."""
import torch
import torch_xla
import torch_xla.core.xla_model as xm

device = torch_xla.device()
model = torch.nn.Linear(4, 2).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(3):
    with torch.autocast("xla", dtype=torch.bfloat16):
        loss = model(torch.randn(8, 4).to(device)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    xm.optimizer_step(optimizer, barrier=True)
    print("step", step, "scale", 1.0)
state = {"model": model.state_dict()}
xm.save(state, "last.pt")
