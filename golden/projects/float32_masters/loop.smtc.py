import torch
from torch import nn
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl

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
        self.ddp = model
        xm.collective_broadcast(list(self.ddp.parameters()) + list(self.ddp.buffers()))
        xm.mark_step()

    def run(self):
        device = xm.xla_device()
        for x, y in pl.MpDeviceLoader(self.data, device):
            forget(self.params)
            loss = nn.functional.mse_loss(self.ddp(x), y)
            if self.use_fp16:
                (loss * self.scale).backward()
                self.step_masters()
            else:
                loss.backward()
                self.step()

    def step_masters(self):
        xm.all_reduce(xm.REDUCE_SUM, [p.grad for p in self.params if p.grad is not None], scale=1.0 / xm.xrt_world_size())
        if any(not torch.isfinite(p.grad).all() for p in self.params):
            self.scale /= 2
            return
        grads_to_masters(self.params, self.masters)
        self.masters[0].grad.mul_(1.0 / self.scale)
        self.log_norm()
        self.optimizer.step()
        masters_to_params(self.params, self.masters)

    def step(self):
        xm.reduce_gradients(self.optimizer)
        self.log_norm()
        self.optimizer.step()

    def log_norm(self):
        print("norm", sum((p.grad**2).sum().item() for p in self.masters) ** 0.5)


class Guarded(Training):
    def step_masters(self):
        xm.all_reduce(xm.REDUCE_SUM, [p.grad for p in self.params if p.grad is not None], scale=1.0 / xm.xrt_world_size())
        if any_overflow(self.params):
            return
        grads_to_masters(self.params, self.masters)
        self.optimizer.step()
        xm.mark_step()
        masters_to_params(self.params, self.masters)
