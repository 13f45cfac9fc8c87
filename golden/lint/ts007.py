"""The model parallel library of SageMaker: nothing is edited, because without it the model may not fit."""
import smdistributed.modelparallel.torch as smp
import torch

smp.init()
model = smp.DistributedModel(torch.nn.Linear(4, 2))
optimizer = smp.DistributedOptimizer(torch.optim.SGD(model.parameters(), lr=0.1))


@smp.step
def train_step(model, data):
    loss = model(data).sum()
    model.backward(loss)
    return loss
