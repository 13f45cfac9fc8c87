import torch
from torch.utils.data import DataLoader as Loader
import torch_xla
import torch_xla.distributed.parallel_loader as pl


def validate(val_loader, model):
    def run(loader, base=0):
        with torch.no_grad():
            loader = pl.MpDeviceLoader(loader, device)
            for i, (images, target) in enumerate(loader):
                print(base + i, model(images).argmax(1).eq(target).sum())

    model.eval()
    run(val_loader)
    rest = Loader(val_loader.dataset.rest, batch_size=val_loader.batch_size)
    run(rest, len(val_loader))


if __name__ == "__main__":
    device = torch_xla.device()
    net = torch.nn.Linear(4, 2).cuda()
    validate(Loader(val_set, batch_size=64), net)
