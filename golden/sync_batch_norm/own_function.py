import torch.nn as nn


class SyncBatchNorm(nn.BatchNorm2d):
    @classmethod
    def convert_sync_batchnorm(cls, module):
        return module


model = SyncBatchNorm.convert_sync_batchnorm(nn.BatchNorm2d(3))
norm = SyncBatchNorm(3)
