import horovod.torch as hvd
import torch


def metric_average(val, name):
    tensor = torch.tensor(val)
    avg_tensor = hvd.allreduce(tensor, name=name)
    return avg_tensor.item()


def more(t):
    total = hvd.allreduce(t, average=False)
    summed = hvd.allreduce(tensor=t, op=hvd.Sum)
    hvd.allreduce_(t)
    hvd.broadcast_(t, root_rank=0)
    everything = hvd.allgather(t, name="x")
    epoch = hvd.broadcast_object(3, root_rank=0)
    return total, summed, everything, epoch, hvd.allgather_object({"a": 1})
