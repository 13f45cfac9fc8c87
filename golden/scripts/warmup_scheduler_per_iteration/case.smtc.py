"""Train a one-box detector on synthetic scenes, with the learning rate warmed up per iteration in the first epoch."""
import datetime
import math
import sys
import time
from collections import defaultdict, deque

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, Dataset
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl


class SmoothedValue:
    """Keeps a window of values and gives its median, and the average over everything seen."""

    def __init__(self, window_size=20):
        self.deque = deque(maxlen=window_size)
        self.total = 0.0
        self.count = 0

    def update(self, value):
        self.deque.append(value)
        self.count += 1
        self.total += value

    def __str__(self):
        d = torch.tensor(list(self.deque))
        return f"{d.median().item():.4f} ({self.total / max(self.count, 1):.4f})"


class MetricLogger:
    def __init__(self, delimiter="  "):
        self.meters = defaultdict(SmoothedValue)
        self.delimiter = delimiter

    def update(self, **kwargs):
        for k, v in kwargs.items():
            if isinstance(v, torch.Tensor):
                v = v.item()
            self.meters[k].update(v)

    def __str__(self):
        return self.delimiter.join(f"{name}: {meter}" for name, meter in self.meters.items())

    def log_every(self, iterable, print_freq, header=""):
        start_time = time.time()
        device = xm.xla_device()
        for i, obj in enumerate(iterable):
            yield obj
            if i % print_freq == 0 or i == len(iterable) - 1:
                line = [header, f"[{i}/{len(iterable)}]", str(self)]
                line.append(f"max mem: {((xm.get_memory_info(device)['kb_total'] - xm.get_memory_info(device)['kb_free']) * 1024) / (1024.0 * 1024.0):.0f}")
                print(self.delimiter.join(line))
        print(f"{header} Total time: {datetime.timedelta(seconds=int(time.time() - start_time))}")


class Scenes(Dataset):
    def __init__(self, n, seed, size=16):
        gen = torch.Generator().manual_seed(seed)
        self.images = 0.1 * torch.randn(n, 1, size, size, generator=gen)
        corner = torch.randint(0, 9, (n, 2), generator=gen)
        side = torch.randint(3, 7, (n, 2), generator=gen)
        self.boxes = torch.cat([corner, corner + side], dim=1).float() / size
        self.labels = torch.randint(0, 2, (n,), generator=gen)
        for img, (x, y), (w, h), label in zip(self.images, corner, side, self.labels):
            img[0, y:y + h, x:x + w] += 1.0 if label else -1.0

    def __len__(self):
        return len(self.images)

    def __getitem__(self, idx):
        return self.images[idx], {"boxes": self.boxes[idx], "labels": self.labels[idx]}


def collate_fn(batch):
    return tuple(zip(*batch))


class BoxNet(nn.Module):
    """Like the detection models: losses while training, predictions otherwise."""

    def __init__(self):
        super().__init__()
        self.backbone = nn.Sequential(nn.Conv2d(1, 8, 3, 2, 1), nn.SiLU(), nn.Conv2d(8, 8, 3, 2, 1), nn.SiLU())
        self.box_head = nn.Linear(8 * 16, 4)
        self.cls_head = nn.Linear(8 * 16, 2)

    def forward(self, images, targets=None):
        features = self.backbone(torch.stack(images)).flatten(1)
        boxes, logits = self.box_head(features).sigmoid(), self.cls_head(features)
        if not self.training:
            return [{"boxes": b, "scores": s.softmax(0)} for b, s in zip(boxes, logits)]
        return {
            "loss_box": 5.0 * F.smooth_l1_loss(boxes, torch.stack([t["boxes"] for t in targets]), beta=0.1),
            "loss_cls": F.cross_entropy(logits, torch.stack([t["labels"] for t in targets])),
        }


def warmup_lr_scheduler(optimizer, warmup_iters, warmup_factor):
    def f(x):
        if x >= warmup_iters:
            return 1
        alpha = float(x) / warmup_iters
        return warmup_factor * (1 - alpha) + alpha

    return torch.optim.lr_scheduler.LambdaLR(optimizer, f)


def train_one_epoch(model, optimizer, data_loader, device, epoch, print_freq):
    model.train()
    metric_logger = MetricLogger()
    header = f"Epoch: [{epoch}]"

    lr_scheduler = None
    if epoch == 0:
        warmup_factor = 1.0 / 1000
        warmup_iters = min(1000, len(data_loader) - 1)
        lr_scheduler = warmup_lr_scheduler(optimizer, warmup_iters, warmup_factor)

    for images, targets in metric_logger.log_every(data_loader, print_freq, header):
        loss_dict = model(images, targets)
        losses = sum(loss for loss in loss_dict.values())
        loss_value = losses.item()

        if not math.isfinite(loss_value):
            print(f"Loss is {loss_value}, stopping training")
            print(loss_dict)
            sys.exit(1)

        optimizer.zero_grad()
        losses.backward()
        xm.optimizer_step(optimizer, barrier=True)

        if lr_scheduler is not None:
            lr_scheduler.step()

        metric_logger.update(loss=losses, **loss_dict)
        metric_logger.update(lr=optimizer.param_groups[0]["lr"])

    return metric_logger


@torch.no_grad()
def evaluate(model, data_loader, device):
    model.eval()
    cpu_device = torch.device("cpu")
    errors, hits, n = 0.0, 0, 0
    for images, targets in data_loader:
        images = list(img.to(device) for img in images)
        xm.mark_step()
        xm.wait_device_ops()
        model_time = time.time()
        outputs = model(images)
        outputs = [{k: v.to(cpu_device) for k, v in t.items()} for t in outputs]
        model_time = time.time() - model_time

        xm.mark_step()
        for target, output in zip(targets, outputs):
            errors += (output["boxes"] - target["boxes"]).abs().mean().item()
            hits += int(output["scores"].argmax() == target["labels"])
            n += 1
    print(f"Test: box error {errors / n:.4f}  accuracy {hits / n:.3f}  last batch took {1e3 * model_time:.1f} ms")


def main():
    torch.manual_seed(0)
    xm.set_rng_state(0)
    device = xm.xla_device()

    data_loader = DataLoader(Scenes(64, seed=0), batch_size=8, shuffle=True, collate_fn=collate_fn)
    data_loader = pl.MpDeviceLoader(data_loader, device)
    data_loader_test = DataLoader(Scenes(8, seed=1), batch_size=4, shuffle=False, collate_fn=collate_fn)

    model = BoxNet()
    model.to(device)

    params = [p for p in model.parameters() if p.requires_grad]
    optimizer = torch.optim.SGD(params, lr=0.05, momentum=0.9, weight_decay=0.0005)
    lr_scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=1, gamma=0.5)

    for epoch in range(2):
        train_one_epoch(model, optimizer, data_loader, device, epoch, print_freq=4)
        lr_scheduler.step()
        evaluate(model, data_loader_test, device=device)

    xm.save(model.state_dict(), "boxnet.pth")
    print("That's it!")


if __name__ == "__main__":
    main()
