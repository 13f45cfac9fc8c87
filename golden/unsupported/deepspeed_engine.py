import deepspeed
import torch

model_engine, optimizer, _, _ = deepspeed.initialize(args=args, model=model)
for x in loader:
    loss = model_engine(x.cuda())
    model_engine.backward(loss)
    model_engine.step()
