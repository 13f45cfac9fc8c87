import torch
import torch.distributed as dist


def train(model, dataset, args):
    dist.init_process_group("nccl")
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scaler = torch.cuda.amp.GradScaler(enabled=args.amp)
    for i, (x, y) in enumerate(torch.utils.data.DataLoader(dataset)):
        loss = model(x.cuda(), y.cuda())
        if args.amp:
            scaler.scale(loss).backward()
            scaler.unscale_(optimizer)
        else:
            loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), args.clip)
        if i % 4 == 0:
            if args.amp:
                scaler.step(optimizer)
                scaler.update()
            else:
                optimizer.step()
            optimizer.zero_grad()
