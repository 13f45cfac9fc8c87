import torch


def train(net, loader, optimizer, scaler=None):
    for x, y in loader:
        loss = net(x, y)
        optimizer.zero_grad()
        if scaler is not None:
            scaler.scale(loss).backward()
            scaler.step(optimizer)
            scaler.update()
        else:
            loss.backward()
            optimizer.step()


def main(args):
    net = torch.nn.Linear(2, 2)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    scaler = torch.cuda.amp.GradScaler() if args.amp else None
    train(net, make_loader(), optimizer, scaler=scaler)
    if args.resume:
        checkpoint = torch.load(args.resume)
        if scaler:
            scaler.load_state_dict(checkpoint["scaler"])
