import torch
from torch.utils.data import DataLoader

loader = DataLoader(dataset, batch_size=4)
data_iter = iter(loader)
images, labels = data_iter.next()
x = data_iter.next()[0].cuda()
