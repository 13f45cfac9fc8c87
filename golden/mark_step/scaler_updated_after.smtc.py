import torch
import torch_xla.core.xla_model as xm


class Wrapper:
    def __init__(self, optimizer: torch.optim.Optimizer):
        self.optimizer = optimizer
        self.loss_scaler = torch.cuda.amp.GradScaler()

    def step(self, **kwargs):
        self.loss_scaler.step(self.optimizer, **kwargs)
        self.loss_scaler.update()
        xm.mark_step()
