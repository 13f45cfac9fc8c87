import argparse
import random

import torch
import torch_xla.core.xla_model as xm

parser = argparse.ArgumentParser()
parser.add_argument("--seed", type=int, default=1)
parser.add_argument("--manual-seed", default=None)
args = parser.parse_args()
if args.manual_seed is None:
    args.manual_seed = random.randint(1, 10000)
torch.manual_seed(args.seed)
xm.set_rng_state(args.seed)
model = torch.nn.Linear(2, 2).cuda()


def restart():
    torch.manual_seed(random.randint(0, 10))
    xm.set_rng_state(torch.initial_seed())


def again():
    torch.manual_seed(args.manual_seed)
    xm.set_rng_state(int(args.manual_seed))
