import torch
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl


class GradientClipper:
    def __init__(self, max_norm):
        self.max_norm = max_norm

    def step(self, parameters):
        grads = [p.grad for p in parameters if p.grad is not None]
        norm = torch.norm(torch.stack([g.norm() for g in grads]))
        for g in grads:
            g.mul_(torch.clamp(self.max_norm / (norm + 1e-6), max=1.0))


def train(args, loader, model, rank, criterion):
    device = xm.xla_device()
    model = model.to(device)
    xm.collective_broadcast(list(model.parameters()) + list(model.buffers()))
    xm.mark_step()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    gradClipper = GradientClipper(1.0)
    loader = pl.MpDeviceLoader(loader, device)
    for step, (data, target) in enumerate(loader):
        loss = criterion(model(data), target)
        loss.backward()

        xm.reduce_gradients(optimizer)
        # gradient clipping
        gradClipper.step(model.parameters())

        if (step + 1) % args.gradient_accumulation_steps == 0:
            optimizer.step()
            optimizer.zero_grad()
