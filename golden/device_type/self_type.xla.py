import torch


class Trainer:
    def __init__(self, device="cuda"):
        self.device = torch.device(device)
        self.device_type = "xla" if self.device.type == "xla" else "cpu"

    def sync(self):
        if self.device_type == "xla": torch.cuda.synchronize()

    def on_gpu(self): return self.device.type == "xla"
