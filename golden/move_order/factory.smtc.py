import torch
import torch_xla.core.xla_model as xm


def configure_optimizers(net):
    decayed = [p for p in net.parameters() if p.dim() >= 2]
    return torch.optim.AdamW([{"params": decayed, "weight_decay": 0.1}])


model = torch.nn.Linear(2, 2)
device = xm.xla_device()
model.to(device)
optimizer = configure_optimizers(model)
