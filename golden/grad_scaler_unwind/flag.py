import torch

net = torch.nn.Linear(2, 2)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
scaler = torch.cuda.amp.GradScaler(enabled=args.amp)
for x, y in data:
    loss = net(x, y)
    if args.amp:
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
    else:
        loss.backward()
        optimizer.step()
