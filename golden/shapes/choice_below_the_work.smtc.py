import argparse, torch, torch.nn as nn
import torch_xla.core.xla_model as xm
parser = argparse.ArgumentParser()
parser.add_argument('--net', default='a')

class Embedding:
    def __init__(self):
        device = xm.xla_device()
        self.model = nn.Linear(4, 2).to(device)
        xm.collective_broadcast(list(self.model.parameters()) + list(self.model.buffers()))
        xm.mark_step()

    @torch.no_grad()
    def forward(self, x):
        print(args.net)
        device = xm.xla_device()
        return self.model(torch.Tensor(x).to(device)).cpu().numpy()


def main():
    global args
    args = parser.parse_args()
    use_flip = True

    feats = Embedding().forward([[1., 2., 3., 4.]])
    # add the two halves
    if use_flip:
        out = feats[:, 0:1] + feats[:, 1:]
    else:
        out = feats[:, 0:1]
    if args.net:
        out = out * 2
    else:
        out = out
    print(out)


def _mp_fn(index):
    main()


if __name__ == "__main__":
    main()
