def make(parameters, name):
    if name == "adam":
        import torch_xla.amp.syncfree.Adam as optim; return optim(parameters)
    raise ValueError(name)
