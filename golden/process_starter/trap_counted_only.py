import torch

for gpu in range(torch.cuda.device_count()):
    print(torch.cuda.get_device_name(gpu))
