import torch
from apex.fp16_utils import FP16_Optimizer, network_to_half

model = network_to_half(model)
optimizer = FP16_Optimizer(torch.optim.SGD(model.parameters(), 0.1))
