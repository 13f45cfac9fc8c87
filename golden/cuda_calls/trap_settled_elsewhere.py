import torch

assert torch.cuda.is_available()
x = torch.zeros(2, device=torch.cuda.current_device())
scaler = torch.cuda.amp.GradScaler()
tensor = torch.cuda.FloatTensor(2)
torch.manual_seed(0)
stream = torch.cuda.Stream()


def wait(event: torch.cuda.Event) -> None:
    event.wait()
