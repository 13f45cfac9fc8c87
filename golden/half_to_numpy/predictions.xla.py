import torch
from torch import nn
from torch.cuda.amp import autocast

net = nn.Linear(4, 4).cuda()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
kept, whole = [], []
for step in range(4):
    with autocast():
        out = net(torch.randn(2, 4).cuda())
        loss = out.mean()
    optimizer.zero_grad()
    loss.float().backward()
    optimizer.step()
    kept.append((out * 2).detach().cpu())
    whole.append(out.argmax(-1).cpu())
print(torch.cat(kept).float().numpy(), torch.cat(whole).numpy(), torch.stack(kept)[0].view(-1).float().numpy(force=True))
with torch.autocast("cuda", dtype=torch.bfloat16):
    print(net(torch.randn(2, 4).cuda()).float().detach().cpu().numpy())
with autocast(enabled=False):
    print(net(torch.randn(2, 4).cuda()).detach().cpu().numpy())
