import torch

q, q_target = torch.nn.Linear(4, 2).cuda(), torch.nn.Linear(4, 2).cuda()
q_target.load_state_dict(state_dict={k: v.cpu() for k, v in q.state_dict().items()})
