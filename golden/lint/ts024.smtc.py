"""SageMaker's MNIST sample: with fewer than eight processes a divisor is 0."""
import argparse

import torch
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--batch-size", type=int, default=64)
    args = parser.parse_args()
    args.world_size = xm.xrt_world_size()
    args.rank = rank = xm.get_ordinal()
    args.local_rank = xm.get_local_ordinal()
    args.batch_size //= max(1, args.world_size // 8)
    args.batch_size = max(args.batch_size, 1)
    device = xm.xla_device()
    model = torch.nn.Linear(4, 2).to(device)
    xm.collective_broadcast(list(model.parameters()) + list(model.buffers()))
    xm.mark_step()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    dataset = torch.utils.data.TensorDataset(torch.randn(64, 4), torch.randint(0, 2, (64,)))
    sampler = torch.utils.data.distributed.DistributedSampler(dataset, num_replicas=args.world_size, rank=rank)
    loader = torch.utils.data.DataLoader(dataset, batch_size=args.batch_size, sampler=sampler)
    loader = pl.MpDeviceLoader(loader, device)
    for x, y in loader:
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(model(x), y)
        loss.backward()
        xm.optimizer_step(optimizer)
    xm.save(model.state_dict(), "m.pt")


def _mp_fn(index):
    main()


if __name__ == "__main__":
    main()
