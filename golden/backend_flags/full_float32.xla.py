import torch
from torch_xla.backends import set_mat_mul_precision

set_mat_mul_precision("highest")


def main(args):
    set_mat_mul_precision("default" if not args.precise else "highest")
    set_mat_mul_precision("highest" if args.precision == "highest" else "default")
    if not args.tf32:
        set_mat_mul_precision("highest")  # convolutions
    set_mat_mul_precision("highest")
    return torch.nn.Linear(2, 2).cuda()
