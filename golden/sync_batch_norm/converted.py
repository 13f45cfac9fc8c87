import torch
import torch.nn as nn


def build(args, local_rank):
    model = nn.Sequential(nn.BatchNorm2d(3))
    # statistics over all GPUs
    if args.sync_bn:
        print("using synced BN")
        model = torch.nn.SyncBatchNorm.convert_sync_batchnorm(model)
    teacher = nn.SyncBatchNorm.convert_sync_batchnorm(build(args, local_rank)).cuda(local_rank)
    return model, teacher
