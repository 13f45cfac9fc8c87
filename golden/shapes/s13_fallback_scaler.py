"""Shape 13: a stand-in class named GradScaler, and a scaler in checkpoints and log lines."""
import torch

try:
    from torch.cuda.amp import GradScaler, autocast
except ImportError:
    class GradScaler:
        def scale(self, loss):
            return loss

        def step(self, optimizer):
            optimizer.step()

        def update(self):
            pass

model = torch.nn.Linear(4, 2).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
scaler = GradScaler()
for step in range(3):
    with autocast():
        loss = model(torch.randn(8, 4).cuda()).pow(2).mean()
    optimizer.zero_grad()
    scaler.scale(loss).backward()
    scaler.step(optimizer)
    scaler.update()
    print("step", step, "scale", scaler.get_scale())
state = {"model": model.state_dict()}
state["scaler"] = scaler.state_dict()
torch.save(state, "last.pt")
