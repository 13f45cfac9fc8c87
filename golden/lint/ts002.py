"""xmp.spawn passes arguments; the launcher calls _mp_fn(index) and nothing else."""
import torch
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl
import torch_xla.distributed.xla_multiprocessing as xmp


def _mp_fn(index, flags):
    device = xm.xla_device()
    model = torch.nn.Linear(4, 2).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=flags["lr"])
    dataset = torch.utils.data.TensorDataset(torch.randn(64, 4), torch.randint(0, 2, (64,)))
    loader = pl.MpDeviceLoader(torch.utils.data.DataLoader(dataset, batch_size=8, drop_last=True), device)
    for x, y in loader:
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(model(x), y)
        loss.backward()
        xm.optimizer_step(optimizer)


if __name__ == "__main__":
    flags = {"lr": 0.1}
    xmp.spawn(_mp_fn, args=(flags,), nprocs=4)
