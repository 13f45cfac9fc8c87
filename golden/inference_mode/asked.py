import torch

if torch.is_inference_mode_enabled():
    print("torch.inference_mode()", x.cuda())
