import torch


def extra(p):
    device = p.device
    if device.type == 'cuda':
        torch.cuda.synchronize()
    place = '' if not p.is_cuda else ' (GPU {})'.format(p.get_device())
    if (not p.is_cuda) and device.type != 'cuda':
        place = 'cpu'
    return place


def states(device):
    device = torch.device(device)
    if device == torch.device('cuda'):
        return torch.ones(2, device=device)
    return None
