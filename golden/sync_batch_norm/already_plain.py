import torch
import torch_xla.core.functions as xf

norm = xf.SyncBatchNorm(64)
