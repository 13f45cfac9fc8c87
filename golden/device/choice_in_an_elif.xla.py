import torch
import torch_xla


class Pipeline:
    def __init__(self, model, index):
        if model is None:
            self.device = None
        else:
            # The index says which.
            self.device = torch_xla.device()
        if model is not None:
            self.model = model.to(self.device)
