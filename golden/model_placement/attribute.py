import torch
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP


class Runner:
    def __init__(self, net, cfg):
        self.net = net
        if cfg.distributed: self.net = DDP(nn.SyncBatchNorm.convert_sync_batchnorm(self.net).cuda(cfg.rank), device_ids=[cfg.rank])
        elif cfg.parallel:
            self.net = nn.DataParallel(self.net.cuda())
        else:
            self.net.cuda()  # one GPU
