import numpy as np
import torch

labels = torch.nonzero(torch.ones(2))
classes = torch.unique(labels)
mask = labels == 1
subset = labels[mask]
rows = np.nonzero(np.ones(2))
x = torch.zeros(2).cuda()
