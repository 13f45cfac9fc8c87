import torch
import torch.distributed as dist
from torch.cuda.amp import GradScaler, autocast
import torch_xla.core.xla_model as xm


def main(rank, dataset):
    dist.init_process_group("nccl")
    model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(4, 1).cuda(rank))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scaler = GradScaler()
    for x, y in torch.utils.data.DataLoader(dataset):
        optimizer.zero_grad()
        with autocast():
            loss = torch.nn.functional.mse_loss(model(x.cuda(rank)), y.cuda(rank))
        scaler.scale(loss).backward()
        gradients = xm._fetch_gradients(optimizer)
        xm.all_reduce("sum", gradients, scale=1.0 / xm.xrt_world_size())
        scaler.step(optimizer)
        scaler.update()
