import shutil

import torch
import torch_xla.core.xla_model as xm


def main_worker(args, ngpus_per_node, model, is_best):
    save_checkpoint({
        'epoch': 1,
        'state_dict': model.state_dict(),
    }, is_best)


def save_checkpoint(state, is_best, filename='checkpoint.pth.tar'):
    xm.save(state, filename)
    if is_best and xm.is_master_ordinal(local=False):
        shutil.copyfile(filename, 'model_best.pth.tar')
