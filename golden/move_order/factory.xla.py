import torch
import torch_xla


def configure_optimizers(net):
    decayed = [p for p in net.parameters() if p.dim() >= 2]
    return torch.optim.AdamW([{"params": decayed, "weight_decay": 0.1}])


model = torch.nn.Linear(2, 2)
device = torch_xla.device()
model.to(device)
optimizer = configure_optimizers(model)
