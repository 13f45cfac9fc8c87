"""torchvision.models: networks made by a function of their name."""

from torch.nn import Network


def make(*given, **more):
    """A network of a known name: a body and a head, whatever they hold."""
    return Network()


_FILES = (
    "convnext densenet detection efficientnet inception mnasnet mobilenet mobilenetv2 mobilenetv3 quantization regnet"
    " resnet segmentation shufflenetv2 squeezenet swin_transformer utils vgg video vision_transformer _utils"
).split()
"""What is no function: its classes, and what makes them, are asked for below it."""


def __getattr__(name):
    if name in _FILES:
        import torchvision.models as itself

        return itself
    return Network if name[0].isupper() else make
