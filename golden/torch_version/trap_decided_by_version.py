import torch

x = torch.randn(4, 4).cuda()
if int(torch.__version__.split(".")[1]) >= 8 or int(torch.__version__.split(".")[0]) > 1:
    spectrum = torch.fft.rfft(x)
else:
    spectrum = torch.rfft(x, 1)
values = torch.linalg.eigvalsh(x) if torch.__version__ >= "1.9" else torch.symeig(x)[0]
assert torch.__version__ >= "1.6", "autocast"
if version(torch.__version__) < "1.5":
    raise RuntimeError
try:
    assert torch.__version__ != "parrots"
except AssertionError:
    pass
