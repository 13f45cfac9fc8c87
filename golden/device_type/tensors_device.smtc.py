import torch


def extra(p):
    device = p.device
    if device.type == 'xla':
        torch.cuda.synchronize()
    place = '' if p.device.type != 'xla' else ' (GPU {})'.format(p.get_device())
    if (p.device.type != 'xla') and device.type != 'xla':
        place = 'cpu'
    return place


def states(device):
    device = torch.device(device)
    if device.type == 'xla':
        return torch.ones(2, device=device)
    return None
