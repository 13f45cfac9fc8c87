"""torchmetrics: scores that are gathered over batches, on the device."""

from meaning import combine
from torch.nn import Plain


class Metric(Plain):
    def forward(self, *given, **more):
        self._seen = combine(*given)
        return combine(*given)

    def update(self, *given, **more):
        self._seen = combine(*given)

    def compute(self):
        return combine(self._seen)

    def reset(self):
        return None


class MetricCollection(Metric):
    pass


def __getattr__(name):
    return Metric
