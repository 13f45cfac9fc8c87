import apex
import torch
import torch.nn as nn


def build(args):
    model = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2))
    # synchronize batch norm layers
    if args.sync_bn == "pytorch":
        model = nn.SyncBatchNorm.convert_sync_batchnorm(model)
    elif args.sync_bn == "apex":
        # with apex syncbn we sync bn per group because it speeds up computation
        process_group = apex.parallel.create_syncbn_process_group(args.group_size)
        model = apex.parallel.convert_syncbn_model(model, process_group=process_group)
    return model.cuda()
