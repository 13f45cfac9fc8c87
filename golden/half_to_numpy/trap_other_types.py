import torch
from torch import nn
from torch.cuda.amp import autocast

net, norm = nn.Linear(4, 4).cuda(), nn.LayerNorm(4).cuda()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for step in range(4):
    x = torch.randn(2, 4)
    with autocast():
        out = net(x.cuda())
        shares = out.softmax(-1)
        whole = norm(out)
    with autocast(enabled=False):
        plain = net(x.cuda())
    optimizer.zero_grad()
    out.float().mean().backward()
    optimizer.step()
    print(shares.detach().cpu().numpy(), whole.detach().cpu().numpy(), plain.detach().cpu().numpy(), x.numpy())
    print(out.float().detach().cpu().numpy(), out.argmax(-1).cpu().numpy(), (out > 0).cpu().numpy(), out.tolist())
