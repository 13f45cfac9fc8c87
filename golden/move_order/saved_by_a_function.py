"""A function that saves takes the model to the CPU and back: whoever built the optimizer would lose its parameters."""

import os

import torch


def save_network(net, label, opt):
    path = os.path.join(opt.folder, f"net_{label}.pth")
    torch.save(net.cpu().state_dict(), path)
    if len(opt.gpu_ids) and torch.cuda.is_available():
        net.cuda()


class Pair:
    def save_networks(self, epoch):
        for name in self.model_names:
            path = os.path.join(self.folder, f"{epoch}_net_{name}.pth")
            net = getattr(self, "net" + name)
            if len(self.gpu_ids) > 0 and torch.cuda.is_available():
                torch.save(net.module.cpu().state_dict(), path)
                net.cuda(self.gpu_ids[0])
            else:
                torch.save(net.cpu().state_dict(), path)


def export(net, path):
    """Stays on the CPU."""
    torch.save(net.cpu().state_dict(), path)


def measure(net, batches, device):
    """What happens in between needs the model on the CPU."""
    net.cpu()
    total = sum(net(batch).sum() for batch in batches)
    net.to(device)
    return total
