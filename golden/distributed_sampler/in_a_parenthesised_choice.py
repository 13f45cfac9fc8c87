# What becomes too long for its line is broken below where it stands, not below the statement.
import torch
import torch.distributed as dist

dist.init_process_group("nccl")


def loader_of(the_dataset_of_the_training, is_distributed):
    sampler = (
        torch.utils.data.distributed.DistributedSampler(the_dataset_of_the_training)
        if is_distributed
        else None
    )
    return torch.utils.data.DataLoader(the_dataset_of_the_training, sampler=sampler)


def train(model, optimizer, dataset):
    for x in loader_of(dataset, True):
        optimizer.zero_grad()
        model(x.cuda()).sum().backward()
        optimizer.step()
