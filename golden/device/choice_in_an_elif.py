import torch


class Pipeline:
    def __init__(self, model, index):
        if model is None:
            self.device = None
        # The index says which.
        elif index < 0:
            self.device = torch.device("cpu")
        elif torch.cuda.is_available():
            self.device = torch.device(f"cuda:{index}")
        else:
            self.device = torch.device("cpu")
        if model is not None:
            self.model = model.to(self.device)
