import torch


class Stepper:
    def __init__(self, parameters, lr, kind="adam"):
        self.optimizer = {
            "adam": lambda: torch.optim.Adam(parameters, lr=lr, eps=1e-5),
            "sgd": lambda: torch.optim.SGD(parameters, lr=lr),
            "adamax": lambda: torch.optim.Adamax(parameters, lr=lr),
        }[kind]()
        self.scaler = torch.cuda.amp.GradScaler()

    def step(self, loss):
        self.optimizer.zero_grad()
        self.scaler.scale(loss).backward()
        self.scaler.step(self.optimizer)
        self.scaler.update()


net = torch.nn.Linear(4, 1).cuda()
stepper = Stepper(net.parameters(), 0.01)
for _ in range(5):
    with torch.cuda.amp.autocast():
        loss = net(torch.ones(8, 4).cuda()).pow(2).mean()
    stepper.step(loss)
