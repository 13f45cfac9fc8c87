"""torchvision.transforms: what is done to images on the host; a tensor stays where it is."""

from meaning import combine, fresh, is_tensor, operator, tensor


class Transform:
    def __init__(self, *given, **more):
        self.given = given

    def __call__(self, image, *given):
        return combine(image) if is_tensor(image) else fresh("image")


class Compose(Transform):
    def __init__(self, transforms=()):
        self.transforms = transforms

    def __call__(self, image):
        return tensor(image, scalar=False)


class ToTensor(Transform):
    def __call__(self, image, *given):
        return tensor(image, scalar=False)


class functional:
    to_tensor = operator("torchvision.transforms.functional.to_tensor")
    normalize = resize = crop = hflip = vflip = rotate = pad = gaussian_blur = to_tensor
    to_pil_image = center_crop = adjust_brightness = adjust_contrast = rgb_to_grayscale = to_tensor


def __getattr__(name):
    return Transform
