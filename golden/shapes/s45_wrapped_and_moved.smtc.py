import os
import torch
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl


def train(rank, a, h):
    h.num_gpus = int(os.environ.get("GPU_NUM_DEVICES", "1"))
    h.batch_size = int(h.batch_size / h.num_gpus)
    print("Batch size per GPU :", h.batch_size)
    device = xm.xla_device()
    generator = torch.nn.Linear(4, 4).to(device)
    critic = torch.nn.Linear(4, 1).to(device)
    if h.num_gpus > 1:
        generator = generator.to(device)
        xm.collective_broadcast(list(generator.parameters()) + list(generator.buffers()))
        xm.mark_step()
        critic = critic.to(device)
        xm.collective_broadcast(list(critic.parameters()) + list(critic.buffers()))
        xm.mark_step()
    optimizer = torch.optim.AdamW(generator.parameters())

    def log_step(loss):
        print(loss.item() * h.batch_size)

    for x in pl.MpDeviceLoader(a.loader, device):
        loss = critic(generator(x)).mean()
        optimizer.zero_grad()
        loss.backward()
        xm.optimizer_step(optimizer)
        if rank == 0:
            xm.add_step_closure(log_step, args=(loss.detach(),))


def main(a, h):
    torch.manual_seed(h.seed)
    train(xm.get_ordinal(), a, h)
