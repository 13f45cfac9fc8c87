import horovod.torch as hvd
import torch

optimizer = torch.optim.Adam(model.parameters())
wrapped = optimizer
hvd.broadcast_parameters(parameters, root_rank=0)
hvd.join()
best = hvd.allreduce(t, op=hvd.Max)
handle = hvd.allreduce_async(t)
reduce = hvd.allreduce
started = hvd.init()
kept = hvd.Compression.fp16
print(kept)
