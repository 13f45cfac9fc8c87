import torch

cpu = torch.device("cpu")
a = torch.load("a.pt", map_location="cpu")
b = torch.load("b.pt", map_location=lambda storage, loc: storage)
c = torch.load("c.pt", map_location=cpu)
d = torch.load("d.pt", **options)
