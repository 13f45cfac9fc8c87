"""A barrier only where every iteration takes the step; where it is in a branch, the mark is a statement of its own."""
import torch
import torch_xla.core.xla_model as xm


def fit(net, get_batch, args):
    net = net.cuda()
    updater = torch.optim.SGD(net.parameters(), 0.1)
    for i in range(args.steps):
        loss = torch.nn.functional.mse_loss(net(get_batch(i).cuda()), 0)
        if args.train: loss.backward(); xm.optimizer_step(updater)
    while True:
        loss = torch.nn.functional.mse_loss(net(get_batch(0).cuda()), 0)
        with torch.enable_grad():
            loss.backward(); xm.optimizer_step(updater, barrier=True); updater.zero_grad()
        if loss < 0.1:
            break
    for i in range(args.steps): net(get_batch(i).cuda()).mean().backward(); xm.optimizer_step(updater, barrier=True)
    for i in range(args.steps):
        net(get_batch(i).cuda()).mean().backward()
        if i % 4 == 3:
            xm.optimizer_step(updater, barrier=True)
            updater.zero_grad()
