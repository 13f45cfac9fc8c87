import torch
from torch import nn
from torch.nn.parallel import DistributedDataParallel

from halves import any_overflow, forget, grads_to_masters, make_masters, masters_to_params


class Training:
    def __init__(self, model, data, use_fp16):
        self.data = data
        self.use_fp16 = use_fp16
        self.scale = 1024.0
        self.params = list(model.parameters())
        self.masters = self.params
        if use_fp16:
            self.masters = make_masters(self.params)
            model.half()
        self.optimizer = torch.optim.AdamW(self.masters, lr=1e-3)
        self.ddp = DistributedDataParallel(model, device_ids=[torch.cuda.current_device()])

    def run(self):
        for x, y in self.data:
            forget(self.params)
            loss = nn.functional.mse_loss(self.ddp(x.cuda()), y.cuda())
            if self.use_fp16:
                (loss * self.scale).backward()
                self.step_masters()
            else:
                loss.backward()
                self.step()

    def step_masters(self):
        if any(not torch.isfinite(p.grad).all() for p in self.params):
            self.scale /= 2
            return
        grads_to_masters(self.params, self.masters)
        self.masters[0].grad.mul_(1.0 / self.scale)
        self.log_norm()
        self.optimizer.step()
        masters_to_params(self.params, self.masters)

    def step(self):
        self.log_norm()
        self.optimizer.step()

    def log_norm(self):
        print("norm", sum((p.grad**2).sum().item() for p in self.masters) ** 0.5)


class Guarded(Training):
    def step_masters(self):
        if any_overflow(self.params):
            return
        grads_to_masters(self.params, self.masters)
        self.optimizer.step()
        masters_to_params(self.params, self.masters)
