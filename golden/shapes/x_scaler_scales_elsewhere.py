"""The loss is scaled in a helper; the loop that steps is given its scaler from another file."""
import torch


def backward(total_loss, scaler):
    if scaler is not None:
        scaler.scale(total_loss).backward()
    else:
        total_loss.backward()


def train_one_epoch(model, loader, optimizer, scaler, args):
    for images, labels in loader:
        optimizer.zero_grad()
        images, labels = images.cuda(), labels.cuda()
        backward(torch.nn.functional.cross_entropy(model(images), labels), scaler)
        if scaler is not None:
            if args.clip is not None:
                scaler.unscale_(optimizer)
                torch.nn.utils.clip_grad_norm_(model.parameters(), args.clip)
            scaler.step(optimizer)
            scaler.update()
        else:
            if args.clip is not None:
                torch.nn.utils.clip_grad_norm_(model.parameters(), args.clip)
            optimizer.step()
