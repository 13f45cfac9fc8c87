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

        backend = dist.get_backend()
        if backend == dist.Backend.NCCL:
            device = torch.device('cuda')
        elif backend == dist.Backend.GLOO:
            device = torch.device('cpu')
        else:
            raise RuntimeError('Unsupported distributed backend')

        tensor = torch.tensor(value, device=device)
        dist.all_reduce(tensor, dop)
        if op == 'mean':
            tensor /= dist.get_world_size()
        value = tensor.item()
    return value


class Meter:
    def reduce(self):
        cuda = dist.get_backend() == 'nccl'
        if cuda:
            total = torch.cuda.FloatTensor([self.total])
        else:
            total = torch.FloatTensor([self.total])
        dist.all_reduce(total)
        self.total = total.item()


def tell():
    print(dist.get_backend())
