"""The ways to clip gradients, by name."""

from torch.nn.utils import clip_grad_norm_, clip_grad_value_

CLIP_GRAD = {"norm": clip_grad_norm_, "value": clip_grad_value_}
