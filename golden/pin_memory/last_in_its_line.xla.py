from torch.utils.data import DataLoader


def loaders(dataset, collate_fn, sampler):
    train_loader = DataLoader(dataset, num_workers=8, shuffle=False,
        collate_fn=collate_fn, batch_sampler=sampler)
    eval_loader = DataLoader(dataset, num_workers=8, shuffle=False,
        batch_size=4,  # for the copies
        drop_last=False, collate_fn=collate_fn)
    last_loader = DataLoader(dataset, num_workers=8,
        batch_size=4)
    for x in train_loader:
        print(x.cuda())
    return eval_loader, last_loader
