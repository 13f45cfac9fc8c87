import torch


def train_one_step(args, model, optimizer, features, scaler):
    loss = model(features).mean()
    scaler.scale(loss).backward()
    scaler.step(optimizer)
    skipped = scaler._found_inf_per_device(optimizer)[args.device] if scaler.is_enabled() else 0
    scaler.update()
    return loss, skipped


def train(args, model, loader, optimizer):
    scaler = torch.cuda.amp.GradScaler(enabled=args.fp16)
    for features in loader:
        loss, skipped = train_one_step(args, model.cuda(), optimizer, features.cuda(), scaler)
