import mylib.amp.syncfree.Adam as adam
from torch_xla.amp.syncfree import Adam

print(adam, Adam)
