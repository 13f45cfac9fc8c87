import accelerate
import ignite.metrics
import torch

import fairscale_like as fairscale

accelerate.utils.set_seed(1)
metric = ignite.metrics.Accuracy()
fairscale.wrap(torch.nn.Linear(2, 2))
"deepspeed"
