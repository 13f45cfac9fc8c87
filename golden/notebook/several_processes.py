import torch.multiprocessing as mp
from train import worker
_tc_migrate_end_of_cell_2
mp.spawn(worker, nprocs=4, args=({},))
_tc_migrate_end_of_cell_4
