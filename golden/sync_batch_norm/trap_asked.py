from torch import nn


def freeze(model, kind: type[nn.SyncBatchNorm] | None = None):
    for layer in model.modules():
        if isinstance(layer, (nn.BatchNorm2d, nn.SyncBatchNorm)) or type(layer) is nn.SyncBatchNorm:
            layer.eval()
    return [one for one in model.modules() if kind is not None and isinstance(one, kind)]
