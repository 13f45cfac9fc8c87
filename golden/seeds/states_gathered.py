import torch

from distributed import all_gather_tensors


def states(device):
    if device == torch.device('cuda'):
        state = torch.cuda.get_rng_state()
    else:
        state = torch.random.get_rng_state()
    return all_gather_tensors(state, device)


def keep(path):
    state = torch.cuda.get_rng_state()
    torch.save({'cuda': state}, path)


def main(args):
    torch.manual_seed(args.seed + args.local_rank)
    print(torch.rand(2).cuda())
