_tc_migrate_magic_1_  # !pip install torch==1.13.1+cu117
_tc_migrate_magic_2_  # !nvidia-smi
_tc_migrate_magic_3_  # %env CUDA_VISIBLE_DEVICES=0
import torch
_tc_migrate_end_of_cell_1
_tc_migrate_magic_4_  # %%bash
_tc_migrate_magic_5_  # torchrun --nproc_per_node 8 train.py
_tc_migrate_end_of_cell_2
_tc_migrate_magic_6_  # %timeit model(x.cuda())
_tc_migrate_end_of_cell_3
