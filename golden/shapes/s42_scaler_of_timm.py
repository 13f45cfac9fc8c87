import torch
from timm.utils import CheckpointSaver, NativeScaler


def train_one_epoch(model, criterion, data_loader, optimizer, device, loss_scaler, max_norm=None, second_order=False):
    for samples, targets in data_loader:
        samples, targets = samples.to(device), targets.to(device)
        with torch.cuda.amp.autocast():
            loss = criterion(model(samples), targets)
        optimizer.zero_grad()

        # this attribute is added by timm on one optimizer (adahessian)
        loss_scaler(loss, optimizer, clip_grad=max_norm, parameters=model.parameters(), create_graph=second_order)
        torch.cuda.synchronize()


def accumulate(model, loader, optimizer, args):
    scaler = NativeScaler()
    for step, (x, y) in enumerate(loader):
        loss = model(x.cuda(), y.cuda()) / args.accum
        last = (step + 1) % args.accum == 0
        scaler(loss, optimizer, clip_grad=args.clip_grad, clip_mode=args.clip_mode, parameters=model.module.parameters(), need_update=last)
        if last:
            optimizer.zero_grad()


def plain(model, loader, optimizer):
    scaler = NativeScaler()
    for x, y in loader:
        loss = model(x.cuda(), y.cuda())
        optimizer.zero_grad()
        scaler(loss, optimizer)


def main(args):
    device = torch.device("cuda")
    model = torch.nn.Linear(4, 2).to(device)
    model = torch.nn.parallel.DistributedDataParallel(model, device_ids=[args.gpu])
    optimizer = torch.optim.AdamW(model.parameters())
    loss_scaler = NativeScaler()
    saver = CheckpointSaver(model=model, optimizer=optimizer, args=args, amp_scaler=loss_scaler)
    loader = torch.utils.data.DataLoader(args.data)
    for epoch in range(args.epochs):
        train_one_epoch(model, torch.nn.CrossEntropyLoss(), loader, optimizer, device, loss_scaler, args.clip)
        saver.save_checkpoint(epoch)
