"""Feature extraction with the processes that a launcher started: no training, the group is joined in utils.py."""
import argparse
import os

import torch
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl
import utils
from datasets import FakeImages, convnet


@torch.no_grad()
def extract_features(model, data_loader):
    metric_logger = utils.MetricLogger(delimiter="  ")
    features = []
    for image, target in metric_logger.log_every(data_loader, 10, "Extract:"):
        feats = model(image).clone()
        # share features between processes
        feats_all = torch.empty(xm.xrt_world_size(), *feats.shape, dtype=feats.dtype, device=feats.device)
        output_l = list(feats_all.unbind(0))
        output_l[:] = list(xm.all_gather(feats.unsqueeze(0), dim=0).unbind(0))
        if xm.get_ordinal() == 0:
            features.append(torch.cat(output_l))
    return torch.cat(features) if features else None


def main():
    parser = argparse.ArgumentParser("Feature extraction")
    parser.add_argument("--batch-size", default=8, type=int)
    parser.add_argument("--dist-url", default="env://", type=str)
    parser.add_argument("--out", default="", type=str)
    args = parser.parse_args()
    utils.init_distributed_mode(args)

    dataset = FakeImages(32, 2)
    sampler = torch.utils.data.DistributedSampler(
        dataset, shuffle=False, num_replicas=xm.xrt_world_size(), rank=xm.get_ordinal())
    device = xm.xla_device()
    data_loader = torch.utils.data.DataLoader(dataset, sampler=sampler, batch_size=args.batch_size)
    data_loader = pl.MpDeviceLoader(data_loader, device)
    model = convnet(2)
    model.to(device)
    model.eval()
    features = extract_features(model, data_loader)
    if utils.is_main_process():
        print("features:", tuple(features.shape))
        if args.out:
            torch.save(features.cpu(), os.path.join(args.out, "features.pth"))
    xm.rendezvous("main")


def _mp_fn(index):
    main()


if __name__ == "__main__":
    main()
