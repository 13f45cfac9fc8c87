import copy

import torch


def train(args, net, gpu):
    average = copy.deepcopy(net)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    seen = 0
    for step in range(20):
        x = torch.linspace(-1, 1, args.batch_size * 8).view(-1, 8) * (1 + step % 3)
        loss = net(x.cuda(gpu)).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        seen += args.batch_size * args.world_size
        keep = 0.5 ** (args.batch_size * args.world_size / 1000)
        with torch.no_grad():
            for old, new in zip(average.parameters(), net.parameters()):
                old.copy_(new.lerp(old, keep))
    if args.rank == 0:
        print(seen)
        torch.save(average.state_dict(), "average.pt")
