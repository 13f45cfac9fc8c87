import torch

x = torch.randn(4, 4).cuda()
if torch.__version__ < "1.8":
    spectrum = torch.rfft(x, 1)
else:
    spectrum = torch.fft.rfft(x)
