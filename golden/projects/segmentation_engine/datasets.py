import torch


class Squares(torch.utils.data.Dataset):
    """Images of coloured squares; the border between square and ground is ignored (255)."""

    def __init__(self, length, num_classes, size=12, seed=0):
        self.length, self.num_classes, self.size, self.seed = length, num_classes, size, seed

    def __len__(self):
        return self.length

    def __getitem__(self, index):
        generator = torch.Generator().manual_seed(self.seed * 1000 + index)
        kind = int(torch.randint(1, self.num_classes, (1,), generator=generator))
        top, left = torch.randint(1, self.size - 6, (2,), generator=generator).tolist()
        target = torch.zeros(self.size, self.size, dtype=torch.long)
        target[top : top + 5, left : left + 5] = 255
        target[top + 1 : top + 4, left + 1 : left + 4] = kind
        image = torch.randn(3, self.size, self.size, generator=generator) * 0.1
        image[kind % 3, top : top + 5, left : left + 5] += 1.0
        return image, target


def collate_fn(batch):
    images, targets = list(zip(*batch))
    return torch.stack(images), torch.stack(targets)


def get_dataset(image_set, num_classes):
    return Squares(24, num_classes) if image_set == "train" else Squares(8, num_classes, seed=1)
