"""torch.autograd: gradients asked for; the variables of before PyTorch 0.4 are tensors."""

from meaning import combine, event, forget as _forget, is_class, is_tensor, unknown


def Variable(data, *given, **more):
    return data


def grad(outputs, inputs, *given, create_graph=False, **more):
    if is_tensor(inputs) is True:
        return [_gradient(outputs, inputs, create_graph)]
    if isinstance(inputs, (list, tuple)) or is_class(inputs, "torch.nn.Module"):
        return [_gradient(outputs, one, create_graph) for one in inputs]
    return unknown("torch.autograd.grad", outputs, inputs)


def _gradient(outputs, one, remembered):
    made = combine(outputs, one)
    if not remembered:
        _forget(made)
    return made


def set_detect_anomaly(mode, *given, **more):
    if mode is not False:
        event("anomalies")


class detect_anomaly:
    def __init__(self, *given, **more):
        event("anomalies")

    def __enter__(self):
        return self

    def __exit__(self, *given):
        return None


def __getattr__(name):
    return unknown("torch.autograd." + name)
