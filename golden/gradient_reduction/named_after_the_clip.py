import torch


def train(model, loader):
    torch.distributed.init_process_group("nccl")
    model = torch.nn.parallel.DistributedDataParallel(model.cuda())
    optimizer = torch.optim.Adam(model.parameters())
    scaler = torch.cuda.amp.GradScaler()
    for x, y in torch.utils.data.DataLoader(loader):
        optimizer.zero_grad()
        scaler.scale(model(x.cuda(), y.cuda())).backward()
        scaler.unscale_(optimizer)
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        chosen = optimizer
        scaler.step(chosen)
        scaler.update()
