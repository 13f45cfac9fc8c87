import torch


def read(path, **options):
    return torch.load(path, **options)


model = torch.nn.Linear(4, 2).cuda()
model.load_state_dict(read("model.pt", map_location="cpu"))
