import torch

use_cuda = torch.cuda.is_available()
kwargs = {"num_workers": 1} if use_cuda else {}
train_kwargs = {"batch_size": 64}
if use_cuda:
    cuda_kwargs = {"num_workers": 1,
                   "shuffle": True}
    train_kwargs.update(cuda_kwargs)
test_kwargs = dict(num_workers=2)
train_loader = torch.utils.data.DataLoader(train_set, **train_kwargs)
val_loader = torch.utils.data.DataLoader(val_set, batch_size=64, **kwargs)
test_loader = torch.utils.data.DataLoader(test_set, **test_kwargs)
report = {"pin_memory": True, "workers": 4}
