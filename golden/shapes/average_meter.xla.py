import torch
import torch.distributed as dist
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.runtime as xr


def all_reduce_item(value, op='sum'):
    if xr.world_size() > 1:
        if op == 'sum' or op == 'mean':
            dop = xm.REDUCE_SUM
        elif op == 'min':
            dop = xm.REDUCE_MIN
        else:
            raise RuntimeError('Unsupported reduce op')

        device = torch_xla.device()

        tensor = torch.tensor(value, device=device)
        xm.all_reduce(dop, [tensor])
        if op == 'mean':
            tensor /= xr.world_size()
        value = tensor.item()
    return value


class Meter:
    def reduce(self):
        cuda = True
        device = torch_xla.device()
        if cuda:
            total = torch.tensor([self.total], dtype=torch.float32, device=device)
        else:
            total = torch.FloatTensor([self.total])
        xm.all_reduce(xm.REDUCE_SUM, [total])
        self.total = total.item()


def tell():
    print(dist.get_backend())
