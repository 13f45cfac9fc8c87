import smdistributed.modelparallel.torch as smp
import torch


@smp.step
def train_step(model, data, target):
    loss = torch.nn.functional.nll_loss(model(data), target)
    model.backward(loss)
    return loss


smp.init()
torch.cuda.set_device(smp.local_rank())
