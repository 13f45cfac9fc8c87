import argparse, torch, torch.nn as nn
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset
import torch.distributed as dist
parser = argparse.ArgumentParser()
parser.add_argument('--dist', action='store_true')
args = parser.parse_args()

def main():
    if args.dist:
        dist.init_process_group('nccl')
        torch.cuda.set_device(dist.get_rank())
    ds = TensorDataset(torch.randn(64, 4), torch.randint(0, 2, (64,)))
    sampler = DistributedSampler(ds) if args.dist else None
    loader = DataLoader(ds, batch_size=8, sampler=sampler, shuffle=sampler is None, drop_last=True)
    model = nn.Linear(4, 2).cuda()
    if args.dist:
        model = nn.parallel.DistributedDataParallel(model)
    opt = torch.optim.Adam(model.parameters())
    for epoch in range(3):
        if args.dist:
            sampler.set_epoch(epoch)
        for x, y in loader:
            loss = nn.functional.cross_entropy(model(x.cuda()), y.cuda())
            opt.zero_grad(); loss.backward(); opt.step()

if __name__ == '__main__':
    main()
