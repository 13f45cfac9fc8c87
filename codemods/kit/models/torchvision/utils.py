"""torchvision.utils: grids of images, and files of them."""

from meaning import combine, read


def make_grid(images, *given, **more):
    return combine(images)


def save_image(images, *given, **more):
    read(images, "save_image")
