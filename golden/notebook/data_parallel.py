import torch
import torch.nn as nn
_tc_migrate_end_of_cell_1

model = nn.Linear(4, 1)
if torch.cuda.device_count() > 1:
    model = nn.DataParallel(model)
model.cuda()
_tc_migrate_end_of_cell_2
