import torch
import torch.nn as nn

model = nn.Sequential(nn.Linear(2, 2))
if args.arch.startswith('alexnet') or args.arch.startswith('vgg'):
    model.cuda()
else:
    model = model.cuda()


class Generator(nn.Module):
    def __init__(self, ngpu):
        super().__init__()
        self.ngpu = ngpu
        self.main = nn.Sequential(nn.Linear(2, 2))

    def forward(self, input):
        output = self.main(input)
        return output
