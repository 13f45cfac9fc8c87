import torch
import torch_xla.core.xla_model as xm

net = torch.nn.Linear(4, 2).cuda()
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for step in range(100):
    x, y = torch.randn(8, 4), torch.randn(8, 2)
    opt.zero_grad()
    loss = torch.nn.functional.mse_loss(net(x.cuda()), y.cuda())
    loss.backward()
    xm.optimizer_step(opt, barrier=True)  # update
