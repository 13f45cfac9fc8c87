import torch

net = torch.nn.Linear(4, 2)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
scaler = torch.cuda.amp.GradScaler()
for x, y in data:
    optimizer.zero_grad()
    loss = ((net(x) - y) ** 2).mean()
    scaler.scale(loss / 4).backward()
    # Unscales the gradients in-place
    scaler.unscale_(optimizer)
    torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
    scaler.step(optimizer)
    scaler.update()
    print(loss.item(), scaler.get_scale())
torch.save({"net": net.state_dict(), "scaler": scaler.state_dict()}, "ckpt.pt")
