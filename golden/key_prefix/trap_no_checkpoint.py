names = {path.partition("model.")[2]: path for path in paths}
