import torch
from torch.utils.data import DataLoader, Dataset, RandomSampler


class PretrainingDataset(Dataset):
    """Sentences with masked words, as an hdf5 shard would hold them."""

    def __init__(self, size, length, vocab_size, seed):
        generator = torch.Generator().manual_seed(seed)
        self.input_ids = torch.randint(1, vocab_size, (size, length), generator=generator)
        self.masked = torch.rand(size, length, generator=generator) < 0.25
        self.next_sentence = torch.randint(0, 2, (size,), generator=generator)

    def __len__(self):
        return len(self.input_ids)

    def __getitem__(self, index):
        input_ids, masked = self.input_ids[index], self.masked[index]
        labels = input_ids.clone()
        labels[~masked] = -1
        return [input_ids.masked_fill(masked, 0), torch.ones_like(input_ids), labels, self.next_sentence[index]]


def create_pretraining_dataset(shard, batch_size, length=12, vocab_size=40):
    train_data = PretrainingDataset(32, length, vocab_size, seed=shard)
    train_sampler = RandomSampler(train_data)
    train_dataloader = DataLoader(
        train_data, sampler=train_sampler, batch_size=batch_size, num_workers=0, drop_last=True
    )
    return train_dataloader, shard
