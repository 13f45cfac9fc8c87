"""efficientnet_pytorch: networks of one family."""

from torch.nn import Network


class EfficientNet(Network):
    @classmethod
    def from_name(cls, *given, **more):
        return cls()

    from_pretrained = from_name


def __getattr__(name):
    return Network
