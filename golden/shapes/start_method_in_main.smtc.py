import torch, torch.nn as nn
from torch.utils.data import DataLoader, DistributedSampler
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl

def main():
    torch.multiprocessing.set_start_method('spawn', force=True)
    device = xm.xla_device()
    dataset = make_dataset()
    loader = DataLoader(
        dataset,
        batch_size=8,
        sampler=DistributedSampler(dataset, num_replicas=xm.xrt_world_size(), rank=xm.get_ordinal()))
    loader = pl.MpDeviceLoader(loader, device)
    model = nn.Linear(4, 2).to(device)
    xm.collective_broadcast(list(model.parameters()) + list(model.buffers()))
    xm.mark_step()
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    for x, y in loader:
        loss = nn.functional.cross_entropy(model(x), y)
        opt.zero_grad(); loss.backward(); xm.optimizer_step(opt)


def _mp_fn(index):
    main()

if __name__ == '__main__':
    main()
