from torch_xla.amp import GradScaler, syncfree

optimizer = syncfree.Adam(net.parameters())
GradScaler().step(optimizer)
