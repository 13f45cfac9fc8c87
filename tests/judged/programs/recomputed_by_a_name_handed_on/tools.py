from torch.utils.checkpoint import checkpoint
