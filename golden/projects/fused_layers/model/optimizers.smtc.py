from torch.optim import AdamW as Adam
