# One guard is not opened when another around it stays: it would let nobody through.
import torch
import torch.distributed as dist
import torch_xla.core.xla_model as xm

dist.init_process_group("nccl")


def is_main_process():
    return dist.get_rank() == 0


def finish(model, step, args, writer):
    if step % args.every == 0 and is_main_process():
        writer.write("evaluated\n")
        if is_main_process():
            writer.write("saved\n")
            xm.save(model.state_dict(), "model.pt")
