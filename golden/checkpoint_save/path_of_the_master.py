import os
from glob import glob

import torch
import torch.distributed as dist


def main(args, model, ema, opt):
    rank = dist.get_rank()
    if rank == 0:
        os.makedirs(args.results_dir, exist_ok=True)
        experiment_index = len(glob(f"{args.results_dir}/*"))
        checkpoint_dir = f"{args.results_dir}/{experiment_index:03d}/checkpoints"
        os.makedirs(checkpoint_dir, exist_ok=True)
    for step in range(args.steps):
        train(model, ema, opt)
        if step % args.ckpt_every == 0 and step > 0:
            if rank == 0:
                checkpoint = {"model": model.state_dict(), "ema": ema.state_dict(), "opt": opt.state_dict()}
                checkpoint_path = f"{checkpoint_dir}/{step:07d}.pt"
                torch.save(checkpoint, checkpoint_path)
                print(f"Saved checkpoint to {checkpoint_path}")
            dist.barrier()
    if rank == 0:
        torch.save(model.state_dict(), os.path.join(checkpoint_dir, "last.pt"))
