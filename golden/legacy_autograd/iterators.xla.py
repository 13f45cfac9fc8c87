import torch
from torch.utils.data import DataLoader

loader = DataLoader(dataset, batch_size=4)
data_iter = iter(loader)
images, labels = next(data_iter)
x = next(data_iter)[0].cuda()
