import torch
import torch_xla.core.xla_model as xm


def _mp_fn(index):
    model = torch.nn.Linear(4, 2).to(xm.xla_device())
    xm.save(model.state_dict(), "model.pt")
    if epoch % 10 == 0:
        xm.save(model.state_dict(), f"model_{epoch}.pt")
    xm.save(model.state_dict(), f"model_{xm.get_ordinal()}.pt", master_only=False)
