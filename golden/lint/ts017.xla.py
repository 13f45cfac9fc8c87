"""CUDA moves and CUDA mixed precision beside XLA."""
import torch
import torch_xla.core.xla_model as xm


def main():
    device = xm.xla_device()
    model = torch.nn.Linear(4, 2).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for x, y in batches:
        x, y = x.to(device), y.to(device)
        with torch.autocast("xla", dtype=torch.bfloat16):
            loss = torch.nn.functional.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        xm.optimizer_step(optimizer, barrier=True)


def _mp_fn(index):
    main()


if __name__ == "__main__":
    main()
