import argparse

import torch

parser = argparse.ArgumentParser()
parser.add_argument("--local-rank", default=0, type=int)
args = parser.parse_args()
torch.distributed.init_process_group("nccl")
torch.cuda.set_device(args.local_rank)
device = torch.device("cuda", args.local_rank)
model = torch.nn.Linear(2, 2).cuda(args.local_rank)
model = torch.nn.parallel.DistributedDataParallel(model, device_ids=[args.local_rank])
