from torch.optim import SGD as Descent
from torch.nn import functional as F
import torch_xla.core.xla_model as xm


def fit(net, batches, training=True):
    net = net.cuda()
    updater = Descent(net.parameters(), 0.1)
    for x, y in batches:
        loss = F.mse_loss(net(x.cuda()), y.cuda())
        loss.backward(); xm.optimizer_step(updater); updater.zero_grad()
    for x, y in batches:
        loss = F.mse_loss(net(x.cuda()), y.cuda())
        if training: loss.backward(); xm.optimizer_step(updater)
    for x, y in batches: F.mse_loss(net(x.cuda()), y.cuda()).backward(); xm.optimizer_step(updater)
