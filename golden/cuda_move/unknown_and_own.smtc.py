import torch
import torch_xla.core.xla_model as xm


class Batch:
    def cuda(self):
        self.x = self.x.to(device)
        return self


device = xm.xla_device()
model = torch.nn.Linear(2, 2).to(device)
for batch in batches:
    batch = batch.cuda()
    model(batch.x)
