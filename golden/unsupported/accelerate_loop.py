import torch
from accelerate import Accelerator
from accelerate.utils import set_seed


def main():
    accelerator = Accelerator()
    set_seed(1)
    optimizer = torch.optim.AdamW(model.parameters())
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for batch in loader:
        accelerator.backward(model(batch))
        optimizer.step()
    torch.save(accelerator.unwrap_model(model).state_dict(), "x.pt")
