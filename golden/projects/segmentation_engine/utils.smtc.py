import torch
import torch_xla.core.xla_model as xm


class ConfusionMatrix:
    def __init__(self, num_classes):
        self.num_classes = num_classes
        self.mat = None

    def update(self, a, b):
        n = self.num_classes
        if self.mat is None:
            self.mat = torch.zeros((n, n), dtype=torch.int64, device=a.device)
        with torch.no_grad():
            k = (a >= 0) & (a < n)
            inds = n * a[k].to(torch.int64) + b[k]
            self.mat += torch.bincount(inds, minlength=n**2).reshape(n, n)

    def reset(self):
        self.mat.zero_()

    def compute(self):
        h = self.mat.float()
        acc_global = torch.diag(h).sum() / h.sum()
        acc = torch.diag(h) / h.sum(1)
        iu = torch.diag(h) / (h.sum(1) + h.sum(0) - torch.diag(h))
        return acc_global, acc, iu

    def reduce_from_all_processes(self):
        if xm.xrt_world_size() == 1:
            return
        xm.rendezvous("reduce_from_all_processes")
        xm.all_reduce(xm.REDUCE_SUM, [self.mat])

    def __str__(self):
        acc_global, acc, iu = self.compute()
        return "global correct: {:.1f}\nmean IoU: {:.1f}".format(acc_global.item() * 100, iu.mean().item() * 100)


def is_dist_avail_and_initialized():
    if xm.xrt_world_size() == 1:
        return False
    return True


def get_world_size():
    if not is_dist_avail_and_initialized():
        return 1
    return xm.xrt_world_size()


def get_rank():
    if not is_dist_avail_and_initialized():
        return 0
    return xm.get_ordinal()


def is_main_process():
    return get_rank() == 0


def save_on_master(*args, **kwargs):
    xm.save(*args, **kwargs)


def reduce_across_processes(val):
    if not is_dist_avail_and_initialized():
        return torch.tensor(val)
    device = xm.xla_device()
    t = torch.tensor(val, device=device)
    xm.rendezvous("reduce_across_processes")
    xm.all_reduce(xm.REDUCE_SUM, [t])
    xm.mark_step()
    return t


def init_distributed_mode(args):
    if xm.xrt_world_size() > 1:
        args.rank = xm.get_ordinal()
        args.world_size = xm.xrt_world_size()
        args.gpu = xm.get_local_ordinal()
    else:
        print("Not using distributed mode")
        args.distributed = False
        return
    args.distributed = True
    xm.rendezvous("init_distributed_mode")
