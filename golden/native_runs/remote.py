"""A function that the SageMaker SDK runs on another machine."""
import torch
from sagemaker.remote_function import remote


@remote(instance_type="ml.g5.xlarge")
def fit(steps):
    model = torch.nn.Linear(8, 2).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(steps):
        optimizer.zero_grad()
        loss = model(torch.randn(16, 8, device="cuda")).square().mean()
        loss.backward()
        optimizer.step()
    return loss.item()


print(fit(100))
