import os
from collections import OrderedDict

import torch
import torch.distributed as dist
import torch_xla.core.xla_model as xm


def print_once(text):
    if not dist.is_initialized() or dist.get_rank() == 0:
        print(text)


class Checkpointer:
    def __init__(self, folder, keep):
        self.folder = folder
        self.keep = keep
        self.tracked = OrderedDict()

    def save(self, model, ema, epoch, is_best=False):
        rank = 0
        if dist.is_initialized():
            dist.barrier()
            rank = dist.get_rank()

        # Already saved
        if not is_best and epoch in self.tracked:
            return

        state = {"epoch": epoch, "state_dict": model.state_dict()}
        if ema is not None:
            state["ema"] = ema.state_dict()

        if is_best:
            path = os.path.join(self.folder, "best.pt")
        else:
            path = os.path.join(self.folder, f"epoch{epoch}.pt")

        print_once(f"Saving {path}")
        if xm.is_master_ordinal(local=False):
            print("to", path)
        xm.save(state, path)

        if not is_best:
            # Remove old checkpoints
            self.tracked[epoch] = path
            for old in list(self.tracked)[:-self.keep]:
                if xm.is_master_ordinal(local=False):
                    try:
                        os.remove(self.tracked[old])
                    except FileNotFoundError:
                        pass
                del self.tracked[old]


class Main:
    def save(self, args, model, epoch):
        saver = Checkpointer(args.folder, 2)
        xm.save(model.state_dict(), "model.pt")
        if not args.keep:
            self.last = epoch
            os.remove("old.pt")
        return saver
