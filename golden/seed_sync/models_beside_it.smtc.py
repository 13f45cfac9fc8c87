import torch
import torch.nn as nn
import torch_xla.core.xla_model as xm

from networks import Encoder


class Contrast(nn.Module):
    def forward(self, features):
        return features.pow(2).mean()


def set_model(args):
    model = Encoder()
    classifier = nn.Linear(4, 2)
    contrast = Contrast()
    if torch.cuda.device_count() > 1:
        model.encoder = nn.DataParallel(model.encoder)
    model = model.cuda()
    xm.collective_broadcast(list(model.encoder.parameters()) + list(model.encoder.buffers()))
    xm.mark_step()
    classifier = classifier.cuda()
    xm.collective_broadcast(list(classifier.parameters()) + list(classifier.buffers()))
    xm.mark_step()
    contrast = contrast.cuda()
    return model, classifier, contrast


def main(args):
    model, classifier, contrast = set_model(args)
    optimizer = torch.optim.SGD(classifier.parameters(), lr=0.1)
    return model, optimizer, contrast
