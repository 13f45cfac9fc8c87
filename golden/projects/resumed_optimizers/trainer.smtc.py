import torch
import torch_xla.core.xla_model as xm


class Trainer:
    def restore(self, path):
        state = torch.load(path, map_location="cpu")
        self.optimizer.load_state_dict(state["optimizer"])
        self.average.load_state_dict(state["average"])

    def save(self, path):
        xm.save({"optimizer": self.optimizer.state_dict(), "average": self.average.state_dict()}, path)
