import torch_xla.amp.syncfree.SGD

optimizer = torch_xla.amp.syncfree.SGD(parameters, lr=0.1)
