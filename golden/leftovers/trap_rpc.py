import torch
import torch.distributed.rpc as rpc

rpc.init_rpc("worker", rank=0, world_size=2)
rpc.shutdown()
