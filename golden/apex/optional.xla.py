import torch


def train(args, model, loader, optimizer):
    for batch in loader:
        with torch.autocast("xla", dtype=torch.bfloat16, enabled=args.fp16):
            loss = model(**batch)[0]
        loss.backward()
        optimizer.step()
