import subprocess
import sys

import torch

arguments = list(sys.argv)[1:]
num_gpus = torch.cuda.device_count()
arguments.append("--n_gpus={}".format(num_gpus))
workers = []
for i in range(num_gpus):
    arguments.append("--rank={}".format(i))
    workers.append(subprocess.Popen([str(sys.executable)] + arguments))
    arguments = arguments[:-1]
for worker in workers:
    worker.wait()
