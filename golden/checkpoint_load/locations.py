import torch

device = torch.device('cuda:0')
net = torch.nn.Linear(2, 2)
net.load_state_dict(torch.load('a.pt'))
net.load_state_dict(torch.load('b.pt', map_location=device))
net.load_state_dict(torch.load('c.pt', map_location={'cuda:%d' % 0: 'cuda:%d' % rank}))
net.load_state_dict(torch.load('d.pt', lambda storage, loc: storage.cuda(rank)))
