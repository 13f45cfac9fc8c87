import torch

x = torch.randn(4, 4).cuda()
values, vectors = torch.symeig(x + x.t(), eigenvectors=True)
solved, _ = torch.solve(x, x)
spectrum = torch.rfft(x, 1, onesided=False)
