from distutils.version import LooseVersion

import torch
from packaging import version

TORCH = tuple(int(x) for x in torch.__version__.split("+")[0].split(".")[:2])
assert torch.__version__.split(".")[0] == "1"
assert LooseVersion(torch.__version__) >= LooseVersion("1.0.0"), "needs PyTorch 1.0"
assert TORCH < (1, 9), "other transforms"
if version.parse(torch.__version__) >= version.parse("1.12"):
    raise RuntimeError("not tried with this torch")
if torch.__version__ < "1.5":
    raise ImportError("too old")
major, minor = map(int, torch.__version__.split(".")[:2])
if major >= 2:
    x = torch.linalg.eigh(torch.ones(2, 2).cuda())
else:
    x = torch.symeig(torch.ones(2, 2).cuda())
assert torch.cuda.is_available()
assert not torch.__version__.startswith("0.")
assert float(torch.__version__[:3]) < 1.5 or torch.version.cuda
