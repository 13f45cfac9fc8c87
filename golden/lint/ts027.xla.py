"""A copy of checkpoints to S3 in the manner of the vendor's helper: its failure is dropped."""
import os
import subprocess
import time

import torch
import torch_xla
import torch_xla.core.xla_model as xm


def sync(source, destination):
    cmd = ["aws", "s3", "sync", "--quiet", source, destination]
    start = time.time()
    subprocess.run(cmd, check=True)
    print("synced in", time.time() - start)


def save(model, local_path, s3_uri):
    if not os.path.exists(local_path):
        raise RuntimeError(f"{local_path} does not exist")
    device = torch_xla.device()
    xm.save(model.to(device).state_dict(), os.path.join(local_path, "model.pt"))
    sync(local_path, s3_uri)
