_tc_migrate_magic_1_  # %matplotlib inline
_tc_migrate_magic_2_  # !pip install pandas torchmetrics
files = _tc_migrate_magic_3_  # !ls *.cu
import torch
_tc_migrate_end_of_cell_1
