import torch
import torch_xla.distributed.parallel_loader as pl
from tqdm import tqdm

from dataloaders import create_dataloader


def train(opt, device):
    train_loader, dataset = create_dataloader(opt.data, opt.batch_size)
    train_loader = pl.MpDeviceLoader(train_loader, device)
    nb = len(train_loader)
    model = build(opt).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for epoch in range(opt.epochs):
        pbar = enumerate(train_loader)
        if opt.rank in {-1, 0}:
            pbar = tqdm(pbar, total=nb)
        for i, (imgs, targets, paths, _) in pbar:
            imgs = imgs.float() / 255
            loss = compute_loss(model(imgs), targets)
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
            pbar.set_description(f"{epoch} {paths[0]}")


train(options(), torch.device("cuda"))
