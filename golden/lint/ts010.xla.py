"""The imports of the guide: classes, not modules."""
import torch
import torch_xla
import torch_xla.core.xla_model as xm
from torch_xla.amp.syncfree import Adam as adam
from torch_xla.amp.syncfree import SGD

device = xm.xla_device()
model = torch.nn.Linear(4, 2).to(device)
optimizer = adam(model.parameters(), lr=0.1)
