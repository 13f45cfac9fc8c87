import torch
import torch.distributed as dist
from torch.cuda.amp import GradScaler
import torch_xla.core.xla_model as xm


def main(rank, model, head, dataset):
    dist.init_process_group("nccl")
    optimizers = [torch.optim.Adam(model.parameters()), torch.optim.Adam(head.parameters())]
    scaler = GradScaler()
    for x, y in torch.utils.data.DataLoader(dataset):
        scaler.scale(head(model(x.cuda(rank)), y.cuda(rank))).backward()
        for optimizer in optimizers:
            gradients = xm._fetch_gradients(optimizer)
            xm.all_reduce("sum", gradients, scale=1.0 / xm.xrt_world_size())
        for optimizer in optimizers:
            scaler.unscale_(optimizer)
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        for optimizer in optimizers:
            scaler.step(optimizer)
        scaler.update()
