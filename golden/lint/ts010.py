"""The imports of the guide: classes, not modules."""
import torch
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.amp.syncfree.Adam as adam
import torch_xla.amp.syncfree.SGD as SGD

device = xm.xla_device()
model = torch.nn.Linear(4, 2).to(device)
optimizer = adam(model.parameters(), lr=0.1)
