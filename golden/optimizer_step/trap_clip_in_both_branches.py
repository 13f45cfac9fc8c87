import torch
import torch.distributed as dist


def train(model, dataset, args, reduce_tensor):
    dist.init_process_group("nccl")
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scaler = torch.cuda.amp.GradScaler(enabled=args.amp)
    for x, y in torch.utils.data.DataLoader(dataset):
        loss = model(x.cuda(), y.cuda())
        if args.amp:
            scaler.scale(loss).backward()
        else:
            loss.backward()
        if args.amp:
            scaler.unscale_(optimizer)
            torch.nn.utils.clip_grad_norm_(model.parameters(), args.clip)
            scaler.step(optimizer)
            scaler.update()
        else:
            torch.nn.utils.clip_grad_norm_(model.parameters(), args.clip)
            optimizer.step()
    for x, y in torch.utils.data.DataLoader(dataset):
        loss = model(x.cuda(), y.cuda())
        loss.backward()
        if args.amp:
            scaler.unscale_(optimizer)
        torch.nn.utils.clip_grad_norm_(model.parameters(), args.clip)
        if args.amp:
            scaler.step(optimizer)
            scaler.update()
        else:
            optimizer.step()
