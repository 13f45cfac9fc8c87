"""Feature extraction with the processes that a launcher started: no training, the group is joined in utils.py."""
import argparse
import os

import torch
import torch.distributed as dist
import utils
from datasets import FakeImages, convnet


@torch.no_grad()
def extract_features(model, data_loader):
    metric_logger = utils.MetricLogger(delimiter="  ")
    features = []
    for image, target in metric_logger.log_every(data_loader, 10, "Extract:"):
        image = image.cuda(non_blocking=True)
        feats = model(image).clone()
        # share features between processes
        feats_all = torch.empty(dist.get_world_size(), *feats.shape, dtype=feats.dtype, device=feats.device)
        output_l = list(feats_all.unbind(0))
        gathering = dist.all_gather(output_l, feats, async_op=True)
        gathering.wait()
        if dist.get_rank() == 0:
            features.append(torch.cat(output_l))
    return torch.cat(features) if features else None


if __name__ == "__main__":
    parser = argparse.ArgumentParser("Feature extraction")
    parser.add_argument("--batch-size", default=8, type=int)
    parser.add_argument("--dist-url", default="env://", type=str)
    parser.add_argument("--out", default="", type=str)
    args = parser.parse_args()
    utils.init_distributed_mode(args)

    dataset = FakeImages(32, 2)
    sampler = torch.utils.data.DistributedSampler(dataset, shuffle=False)
    data_loader = torch.utils.data.DataLoader(dataset, sampler=sampler, batch_size=args.batch_size, pin_memory=True)
    model = convnet(2)
    model.cuda()
    model.eval()
    features = extract_features(model, data_loader)
    if utils.is_main_process():
        print("features:", tuple(features.shape))
        if args.out:
            torch.save(features.cpu(), os.path.join(args.out, "features.pth"))
    dist.barrier()
