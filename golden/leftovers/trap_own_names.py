import torch


class Clock:
    def cuda(self):
        return self


Clock().cuda()
torch.zeros(2)
