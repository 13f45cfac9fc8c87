"""torch.autograd: the variables of before PyTorch 0.4 are tensors."""

from meaning import event, unknown


def Variable(data, *given, **more):
    return data


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
