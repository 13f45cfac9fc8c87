import torch

torch.backends.cuda.matmul.allow_tf32 = False
torch.backends.cudnn.allow_tf32 = False
torch.set_float32_matmul_precision("highest")


def main(args):
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = not args.precise
    torch.set_float32_matmul_precision(args.precision)
    if args.tf32:
        torch.backends.cuda.matmul.allow_tf32 = True
    else:
        torch.backends.cudnn.allow_tf32 = False  # convolutions
    torch.backends.cudnn.conv.fp32_precision = 'ieee'
    torch.set_float32_matmul_precision("medium")
    return torch.nn.Linear(2, 2).cuda()
