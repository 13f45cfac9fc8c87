from torch.utils.data import DataLoader


def loaders(dataset, batch_size):
    return DataLoader(dataset, batch_size=batch_size, pin_memory=True), DataLoader(dataset, pin_memory=False)
