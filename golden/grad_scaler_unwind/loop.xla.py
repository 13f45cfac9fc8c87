import torch

net = torch.nn.Linear(4, 2)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for x, y in data:
    optimizer.zero_grad()
    loss = ((net(x) - y) ** 2).mean()
    (loss / 4).backward()
    # Unscales the gradients in-place
    torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
    scaler.step(optimizer)
    print(loss.item(), 1.0)
torch.save({"net": net.state_dict()}, "ckpt.pt")
