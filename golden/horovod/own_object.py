import torch


class Comm:
    def init(self):
        pass

    def allreduce(self, t):
        return t


hvd = Comm()
hvd.init()
hvd.allreduce(torch.zeros(1))
