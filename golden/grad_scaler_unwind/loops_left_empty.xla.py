import torch


class Brain:
    def __init__(self, modules, optimizers):
        self.modules = modules
        self.optimizers = optimizers

    def fit_batch(self, batch):
        loss = self.modules(batch.cuda()).mean()
        scaled_loss = loss / 2
        scaled_loss.backward()
        # unscale the gradients
        torch.nn.utils.clip_grad_norm_(self.modules.parameters(), 1.0)
        for opt in self.optimizers.values():
            self.scaler.step(opt)
