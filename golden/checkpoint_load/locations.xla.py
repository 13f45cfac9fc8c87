import torch

device = torch.device('cuda:0')
net = torch.nn.Linear(2, 2)
net.load_state_dict(torch.load('a.pt', map_location='cpu'))
net.load_state_dict(torch.load('b.pt', map_location='cpu'))
net.load_state_dict(torch.load('c.pt', map_location='cpu'))
net.load_state_dict(torch.load('d.pt', 'cpu'))
