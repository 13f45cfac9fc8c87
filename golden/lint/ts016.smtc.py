"""Checkpoints saved under a guard: xm.save waits for every process."""
import torch
import torch_xla.core.xla_model as xm


def main():
    device = xm.xla_device()
    model = torch.nn.Linear(4, 2).to(device)
    xm.save(model.state_dict(), "model.pt")
    xm.save(model.state_dict(), "model2.pt")
    xm.save(model.state_dict(), "model3.pt")


def save(model, rank):
    if rank == 0:
        print("saving")
    xm.save(model.state_dict(), "model.pt")


def _mp_fn(index):
    main()


if __name__ == "__main__":
    main()
