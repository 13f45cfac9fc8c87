import builtins
import time
from collections import defaultdict, deque

import torch
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.runtime as xr


class SmoothedValue(object):
    def __init__(self, window_size=20, fmt=None):
        self.deque = deque(maxlen=window_size)
        self.total = 0.0
        self.count = 0
        self.fmt = fmt or "{avg:.4f}"

    def update(self, value, n=1):
        self.deque.append(value)
        self.count += n
        self.total += value * n

    def synchronize_between_processes(self):
        """Warning: does not synchronize the deque!"""
        if not is_dist_avail_and_initialized():
            return
        device = torch_xla.device()
        t = torch.tensor([self.count, self.total], dtype=torch.float64, device=device)
        xm.rendezvous("synchronize_between_processes")
        xm.all_reduce(xm.REDUCE_SUM, [t])
        t = t.tolist()
        self.count = int(t[0])
        self.total = t[1]

    @property
    def avg(self):
        return sum(self.deque) / max(len(self.deque), 1)

    @property
    def global_avg(self):
        return self.total / self.count

    def __str__(self):
        return self.fmt.format(avg=self.avg)


class MetricLogger(object):
    def __init__(self, delimiter="\t"):
        self.meters = defaultdict(SmoothedValue)
        self.delimiter = delimiter

    def update(self, **kwargs):
        for k, v in kwargs.items():
            if isinstance(v, torch.Tensor):
                v = v.item()
            self.meters[k].update(v)

    def __str__(self):
        return self.delimiter.join("{}: {}".format(name, str(meter)) for name, meter in self.meters.items())

    def synchronize_between_processes(self):
        for meter in self.meters.values():
            meter.synchronize_between_processes()

    def log_every(self, iterable, print_freq, header=None):
        i = 0
        start_time = time.time()
        MB = 1024.0 * 1024.0
        device = torch_xla.device()
        for obj in iterable:
            yield obj
            if i % print_freq == 0 or i == len(iterable) - 1:
                print(f"{header} [{i}/{len(iterable)}] {self} max mem: {xm.get_memory_info(device)['bytes_used'] / MB:.0f}")
            i += 1
        print("{} Total time: {:.3f} s".format(header, time.time() - start_time))


def setup_for_distributed(is_master):
    """Disables printing when not in the master process"""
    builtin_print = builtins.print

    def print(*args, **kwargs):
        force = kwargs.pop("force", False)
        if is_master or force:
            builtin_print(*args, **kwargs)

    builtins.print = print


def is_dist_avail_and_initialized():
    if xr.world_size() == 1:
        return False
    return True


def get_world_size():
    if not is_dist_avail_and_initialized():
        return 1
    return xr.world_size()


def get_rank():
    if not is_dist_avail_and_initialized():
        return 0
    return xr.global_ordinal()


def is_main_process():
    return get_rank() == 0


def save_on_master(*args, **kwargs):
    xm.save(*args, **kwargs)


def init_distributed_mode(args):
    if xr.world_size() > 1:
        args.rank = xr.global_ordinal()
        args.world_size = xr.world_size()
        args.gpu = xr.local_ordinal()
    else:
        print("Not using distributed mode")
        setup_for_distributed(is_master=True)
        args.distributed = False
        return
    args.distributed = True
    args.dist_backend = "nccl"
    print("| distributed init (rank {}): {}, gpu {}".format(args.rank, args.dist_url, args.gpu), flush=True)
    xm.rendezvous("init_distributed_mode")
    setup_for_distributed(args.rank == 0)


def get_grad_norm_(parameters, norm_type=2.0):
    parameters = [p for p in parameters if p.grad is not None]
    return torch.norm(torch.stack([torch.norm(p.grad.detach(), norm_type) for p in parameters]), norm_type)


class NativeScaler:
    state_dict_key = "amp_scaler"

    def __init__(self):
        self._scaler = torch.cuda.amp.GradScaler()

    def __call__(self, loss, optimizer, clip_grad=None, parameters=None, create_graph=False, update_grad=True):
        loss.backward(create_graph=create_graph)
        if update_grad:
            for group in optimizer.param_groups:
                for p in group["params"]:
                    if p.grad is not None:
                        p.grad = p.grad.clone()  # else clipping loses the average
            xm.reduce_gradients(optimizer)
            if clip_grad is not None:
                assert parameters is not None
                norm = torch.nn.utils.clip_grad_norm_(parameters, clip_grad)
            else:
                norm = get_grad_norm_(parameters)
            optimizer.step()
        else:
            norm = None
        return norm

    def state_dict(self):
        return self._scaler.state_dict()

    def load_state_dict(self, state_dict):
        pass
