"""Pitfall 32: the state of torch.optim.Adam lacks a key that syncfree.Adam reads."""
import torch

model = torch.nn.Linear(4, 2).cuda()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
scaler = torch.cuda.amp.GradScaler()
checkpoint = torch.load("last.pt")
optimizer.load_state_dict(checkpoint["optimizer"])
scaler.load_state_dict(checkpoint["scaler"])
for step in range(3):
    with torch.cuda.amp.autocast():
        loss = model(torch.randn(8, 4).cuda()).pow(2).mean()
    optimizer.zero_grad()
    scaler.scale(loss).backward()
    scaler.step(optimizer)
    scaler.update()
