"""torchvision.ops: operations on boxes."""

from meaning import combine, event, operator


def nms(boxes, scores, *given):
    event("dynamic shape", "torchvision.ops.nms")
    return combine(boxes, scores)


batched_nms = nms


def __getattr__(name):
    return operator("torchvision.ops." + name)
