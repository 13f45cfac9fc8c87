import torchvision.utils as vutils


def denormalize(x):
    return ((x + 1) / 2).clamp_(0, 1)


def save_sheet(x, columns, path):
    vutils.save_image(denormalize(x).cpu(), path, nrow=columns, padding=0)
