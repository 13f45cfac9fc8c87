"""As a method has it, without a question and with one that has more below it."""
import torch


class Trainer:
    def __init__(self, model):
        self.model = model.cuda()
        self.optimizer = torch.optim.AdamW(self.model.parameters())

    def resume(self, path):
        self.optimizer.load_state_dict(torch.load(path, map_location='cpu'))
        for state in self.optimizer.state.values():
            for name, value in state.items():
                if name != 'step':
                    state[name] = value.cuda()

    def again(self, path):
        self.optimizer.load_state_dict(torch.load(path, map_location='cpu'))
        for state in self.optimizer.state.values():
            for name, value in state.items():
                if torch.is_tensor(value):
                    print('moving', name)
                    if name != 'step':
                        state[name] = value.to("cuda")
