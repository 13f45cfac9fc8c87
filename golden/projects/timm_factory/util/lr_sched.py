def adjust_learning_rate(optimizer, epoch, args):
    """Decay the learning rate after half of the training"""
    lr = args.lr * (1.0 if epoch < args.epochs / 2 else 0.5)
    for param_group in optimizer.param_groups:
        param_group["lr"] = lr
    return lr
