import torch
import torch_xla


def main():
    device = torch_xla.device()
    w = torch.zeros(4, requires_grad=True, device=device)
    for i in range(100):
        loss = (w * torch.randn(4).to(device)).sum()
        loss.backward()
        with torch.no_grad():
            w -= 0.1 * w.grad
        w.grad.zero_()
        torch_xla.sync()


def _mp_fn(index):
    main()


if __name__ == "__main__":
    torch_xla.launch(_mp_fn)
