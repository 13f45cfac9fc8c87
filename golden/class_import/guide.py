"""The imports of the vendor's guide."""
import torch_xla.amp.syncfree.Adam as adam
import torch_xla.amp.syncfree.SGD as SGD

optimizer = adam(parameters)
other = SGD(parameters, lr=0.1)
