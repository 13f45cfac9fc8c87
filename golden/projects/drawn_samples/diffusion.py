import torch


def sample(model, shape, device, steps=4):
    image = torch.randn(*shape, device=device)
    for _ in range(steps):
        image = image - 0.1 * model(image)
    return image
