import subprocess
import sys

import torch
import torch.distributed as dist


def join(rank, num_gpus):
    dist.init_process_group("nccl", rank=rank, world_size=num_gpus)


def main(arguments):
    num_gpus = torch.cuda.device_count()
    workers = []
    for i in range(num_gpus):
        workers.append(subprocess.Popen([sys.executable, "train.py", f"--rank={i}", *arguments]))
    for worker in workers:
        worker.wait()


if __name__ == "__main__":
    main(sys.argv[1:])
