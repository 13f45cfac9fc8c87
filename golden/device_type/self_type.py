import torch


class Trainer:
    def __init__(self, device="cuda"):
        self.device = torch.device(device)
        self.device_type = "cuda" if self.device.type == "cuda" else "cpu"

    def sync(self):
        if self.device_type == "cuda": torch.cuda.synchronize()

    def on_gpu(self): return self.device.type == "cuda"
