import torch
from torch.nn.utils import clip_grad_norm_
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl


class FP16Optimizer:
    def __init__(self, model, grad_clip, loss_scale):
        self.model = model
        self.grad_clip = grad_clip
        self.loss_scale = loss_scale
        self.fp32_params = [p.detach().clone().requires_grad_() for p in model.parameters()]

    @staticmethod
    def set_grads(params, params_with_grad):
        for param, param_w_grad in zip(params, params_with_grad):
            if param.grad is None:
                param.grad = torch.empty_like(param)
            param.grad.data.copy_(param_w_grad.grad.data)

    def step(self, loss, optimizer, update=True):
        loss = loss * self.loss_scale
        loss.backward()
        if update:
            self.set_grads(self.fp32_params, self.model.parameters())
            xm.reduce_gradients(optimizer)
            for param in self.fp32_params:
                param.grad.data /= self.loss_scale
            clip_grad_norm_(self.fp32_params, self.grad_clip)
            optimizer.step()
            self.model.zero_grad()


def train(loader, model, rank, criterion):
    device = xm.xla_device()
    model = model.to(device)
    xm.collective_broadcast(list(model.parameters()) + list(model.buffers()))
    xm.mark_step()
    fp16 = FP16Optimizer(model, 5.0, 128.0)
    optimizer = torch.optim.SGD(fp16.fp32_params, lr=0.1)
    loader = pl.MpDeviceLoader(loader, device)
    for data, target in loader:
        fp16.step(criterion(model(data), target), optimizer)
