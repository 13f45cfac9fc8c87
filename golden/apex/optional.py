import torch

try:
    from apex import amp
except ImportError:
    amp = None


def train(args, model, loader, optimizer):
    if args.fp16:
        model, optimizer = amp.initialize(model, optimizer, opt_level=args.fp16_opt_level)
    for batch in loader:
        loss = model(**batch)[0]
        if args.fp16:
            with amp.scale_loss(loss, optimizer) as scaled_loss:
                scaled_loss.backward()
        else:
            loss.backward()
        optimizer.step()
