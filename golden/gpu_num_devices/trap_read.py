import os


def _mp_fn(index):
    print(os.environ["GPU_NUM_DEVICES"], os.environ.get("GPU_NUM_DEVICES"))
    os.environ["NCCL_DEBUG"] = "info"
