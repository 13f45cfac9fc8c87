import torch
import torch_xla.core.xla_model as xm

if rank == 0:
    print("saving")
xm.save({}, "x.pt")
