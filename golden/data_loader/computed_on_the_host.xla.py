import matplotlib.pyplot as plt
import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
import torch_xla
import torch_xla.distributed.parallel_loader as pl
from torchvision.utils import make_grid

from helpers import unnormalize

device = torch_xla.device()
loader = DataLoader(TensorDataset(torch.rand(32, 3, 4, 4), torch.zeros(32).long()), batch_size=4, drop_last=True)
loader = pl.MpDeviceLoader(loader, device)
net = nn.Sequential(nn.Conv2d(3, 1, 3), nn.Flatten(), nn.Linear(4, 2)).cuda()
opt = torch.optim.SGD(net.parameters(), lr=0.1)
fig, ax = plt.subplots()
for images, labels, labels_of in loader:
    loss = nn.functional.cross_entropy(net(images), labels)
    opt.zero_grad()
    loss.backward()
    opt.step()
    shown = np.array(255 * unnormalize(images[0].cpu())).copy()
    grid = make_grid(images.cpu()).numpy()
    half = 0.5 * images
    plt.imshow(np.transpose(half.cpu()[0], (1, 2, 0)))
    ax.imshow(images[0].permute(1, 2, 0).cpu())
    counts = np.bincount(labels.cpu())
    guess = net(images).argmax(1).cpu().numpy()
    right = (guess == np.asarray(labels.cpu())).mean()
    names = np.array(unnormalize(labels_of[0]))
    kept = np.asarray(net(images).detach().cpu())
    labels_there = labels
    shift = np.float32(0.5) + np.asarray(labels_there.cpu())
    print(np.shape(images.cpu()), loss.item(), labels.tolist())
