"""A barrier only where every iteration takes the step; where it is in a branch, the mark is a statement of its own."""
import torch


def fit(net, get_batch, args):
    net = net.cuda()
    updater = torch.optim.SGD(net.parameters(), 0.1)
    for i in range(args.steps):
        loss = torch.nn.functional.mse_loss(net(get_batch(i).cuda()), 0)
        if args.train: loss.backward(); updater.step()
    while True:
        loss = torch.nn.functional.mse_loss(net(get_batch(0).cuda()), 0)
        with torch.enable_grad():
            loss.backward(); updater.step(); updater.zero_grad()
        if loss < 0.1:
            break
    for i in range(args.steps): net(get_batch(i).cuda()).mean().backward(); updater.step()
    for i in range(args.steps):
        net(get_batch(i).cuda()).mean().backward()
        if i % 4 == 3:
            updater.step()
            updater.zero_grad()
