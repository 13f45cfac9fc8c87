from tinygrad import Tensor, nn


class Net:
    def __init__(self):
        self.l1 = nn.Linear(2, 2)

    def __call__(self, x):
        return self.l1(x)


model = Net()
optim = nn.optim.SGD(nn.state.get_parameters(model), lr=0.1)
for i in range(10):
    optim.zero_grad()
    loss = model(Tensor.randn(4, 2)).sum()
    loss.backward()
    optim.step()
    print(loss.item())
