def make(parameters, name):
    if name == "adam":
        from torch_xla.amp.syncfree import Adam as optim; return optim(parameters)
    raise ValueError(name)
