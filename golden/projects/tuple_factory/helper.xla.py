import torch


class WarmUp:
    def __init__(self, optimizer, lr):
        self.optimizer, self.lr, self.steps = optimizer, lr, 0

    def step(self):
        self.steps += 1
        lr = self.lr * min(1.0, self.steps / 4)
        for group in self.optimizer.param_groups:
            group["lr"] = lr
        return lr


def init_opt(encoder, predictor, lr, use_bfloat16=False):
    groups = [{"params": encoder.parameters()}, {"params": predictor.parameters(), "weight_decay": 0}]
    optimizer = torch.optim.AdamW(groups, lr=lr)
    scheduler = WarmUp(optimizer, lr)
    scaler = torch.cuda.amp.GradScaler() if use_bfloat16 else None
    return optimizer, scaler, scheduler


def load_checkpoint(path, encoder, predictor, optimizer, scaler):
    checkpoint = torch.load(path, map_location=torch.device("cpu"))
    encoder.load_state_dict(checkpoint["encoder"])
    predictor.load_state_dict(checkpoint["predictor"])
    optimizer.load_state_dict(checkpoint["opt"])
    return encoder, predictor, optimizer, scaler, checkpoint["epoch"]
