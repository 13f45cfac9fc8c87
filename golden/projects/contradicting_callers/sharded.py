import torch
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.utils.data import DataLoader

from data import build_dataset, build_model
from engine import calibrate, train_one_epoch


def sharded():
    torch.distributed.init_process_group("nccl")
    model = FSDP(build_model().cuda())
    loader = DataLoader(build_dataset(4), batch_size=16)
    optimizer = torch.optim.AdamW(model.parameters())
    train_one_epoch(model, loader, optimizer, torch.device("cuda"))
    print(calibrate(model, loader, torch.device("cuda")))


if __name__ == "__main__":
    sharded()
