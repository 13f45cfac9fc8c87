"""The imports of the vendor's guide."""
from torch_xla.amp.syncfree import Adam as adam
from torch_xla.amp.syncfree import SGD

optimizer = adam(parameters)
other = SGD(parameters, lr=0.1)
