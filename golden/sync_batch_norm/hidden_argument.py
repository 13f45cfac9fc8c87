import torch

model = torch.nn.SyncBatchNorm.convert_sync_batchnorm(**options)
convert = torch.nn.SyncBatchNorm.convert_sync_batchnorm
