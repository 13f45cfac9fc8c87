import torch
import apex
from apex.fp16_utils import FP16_Optimizer, network_to_half

model = network_to_half(model)
optimizer = FP16_Optimizer(torch.optim.SGD(model.parameters(), 0.1))
net, opt = apex.amp.initialize(net, opt, "O2")
