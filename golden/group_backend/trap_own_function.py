from mylib import dist

if dist.get_backend() == "nccl":
    print("own")
