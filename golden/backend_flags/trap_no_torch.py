import os

os.environ["CUDA_LAUNCH_BLOCKING"] = "1"
print(os.environ["CUDA_LAUNCH_BLOCKING"])
