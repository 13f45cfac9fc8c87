import torch
import torch._dynamo

dynamo = torch._dynamo.config
dynamo.cache_size_limit = 64
torch._dynamo.config.suppress_errors = True
model = torch.compile(torch.nn.Linear(2, 2).cuda())
