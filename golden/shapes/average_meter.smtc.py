import torch
import torch.distributed as dist
import torch_xla.core.xla_model as xm


def all_reduce_item(value, op='sum'):
    if xm.xrt_world_size() > 1:
        if op == 'sum' or op == 'mean':
            dop = xm.REDUCE_SUM
        elif op == 'min':
            dop = xm.REDUCE_MIN
        else:
            raise RuntimeError('Unsupported reduce op')

        device = xm.xla_device()

        tensor = torch.tensor(value, device=device)
        xm.all_reduce(dop, [tensor])
        if op == 'mean':
            tensor /= xm.xrt_world_size()
        value = tensor.item()
    return value


class Meter:
    def reduce(self):
        cuda = True
        device = xm.xla_device()
        if cuda:
            total = torch.tensor([self.total], dtype=torch.float32, device=device)
        else:
            total = torch.FloatTensor([self.total])
        xm.all_reduce(xm.REDUCE_SUM, [total])
        self.total = total.item()


def tell():
    print(dist.get_backend())
