import torch


class FakeImages(torch.utils.data.Dataset):
    classes = ["a", "b", "c"]

    def __init__(self, size, seed, transform):
        generator = torch.Generator().manual_seed(seed)
        self.targets = torch.randint(len(self.classes), (size,), generator=generator)
        self.images = torch.randn(size, 3, 6, 6, generator=generator) + self.targets.view(-1, 1, 1, 1)
        self.transform = transform

    def __len__(self):
        return len(self.targets)

    def __getitem__(self, index):
        return self.transform(self.images[index]), int(self.targets[index])


def convnet(num_classes, norm_layer=torch.nn.BatchNorm2d):
    return torch.nn.Sequential(
        torch.nn.Conv2d(3, 4, 3), norm_layer(4), torch.nn.ReLU(), torch.nn.AdaptiveAvgPool2d(2),
        torch.nn.Flatten(), torch.nn.Linear(16, num_classes),
    )
