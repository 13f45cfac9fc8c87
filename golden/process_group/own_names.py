import os

import torch


class Cluster:
    def get_rank(self):
        return 0

    def init_process_group(self, backend):
        os.environ["MASTER_ADDR"] = backend


def is_initialized():
    return True


dist = Cluster()
dist.init_process_group("nccl")
print(dist.get_rank(), is_initialized(), "dist.get_rank()", os.environ.get("MASTER_ADDR"))
