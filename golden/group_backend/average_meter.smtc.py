import torch
import torch.distributed as dist


def all_reduce_item(value, op='sum'):
    if dist.is_available() and dist.is_initialized():
        if op == 'sum' or op == 'mean':
            dop = dist.ReduceOp.SUM
        elif op == 'min':
            dop = dist.ReduceOp.MIN
        else:
            raise RuntimeError('Unsupported reduce op')

        device = torch.device('cuda')

        tensor = torch.tensor(value, device=device)
        dist.all_reduce(tensor, dop)
        if op == 'mean':
            tensor /= dist.get_world_size()
        value = tensor.item()
    return value


class Meter:
    def reduce(self):
        cuda = True
        if cuda:
            total = torch.cuda.FloatTensor([self.total])
        else:
            total = torch.FloatTensor([self.total])
        dist.all_reduce(total)
        self.total = total.item()


def tell():
    print(dist.get_backend())
