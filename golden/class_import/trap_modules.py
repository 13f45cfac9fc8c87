import torch_xla.amp
import torch_xla.amp.syncfree as syncfree
import torch_xla.core.xla_model as xm

print(torch_xla.amp, syncfree, xm)
