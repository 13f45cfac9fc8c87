import json
import os
import shutil

import numpy as np
import torch
import torch.distributed as dist

dist.init_process_group("nccl")


def log(model, results, rank):
    np.save("results.npy", results)
    with open("results.json", "w") as file:
        json.dump({"epochs": len(results)}, file)
    if rank == 0:
        shutil.copy("results.json", "last.json")
    os.remove("lock")
    return model.state_dict()
