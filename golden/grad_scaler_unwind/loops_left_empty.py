import torch


class Brain:
    def __init__(self, modules, optimizers):
        self.modules = modules
        self.optimizers = optimizers
        self.scaler = torch.cuda.amp.GradScaler()

    def fit_batch(self, batch):
        loss = self.modules(batch.cuda()).mean()
        scaled_loss = self.scaler.scale(
            loss / 2
        )
        scaled_loss.backward()
        # unscale the gradients
        for opt in self.optimizers.values():
            self.scaler.unscale_(opt)
        for index, opt in enumerate(self.optimizers.values()):
            if index > 3:
                continue
            self.scaler.unscale_(opt)
        torch.nn.utils.clip_grad_norm_(self.modules.parameters(), 1.0)
        for opt in self.optimizers.values():
            self.scaler.step(opt)
        self.scaler.update()
