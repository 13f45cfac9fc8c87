import torch


def make(args, net):
    return getattr(torch.optim, args.opt)(net.parameters(), lr=args.lr)


optimizer = make(args, net)
scaler = torch.cuda.amp.GradScaler()
scaler.step(optimizer)
