"""The pictures move, and what is read number by number stays on the host: no device loader, which moves all of it."""
import torch
from torch.utils.data import DataLoader

from pictures import Joints, net


def draw(pictures, joints, seen, name):
    lines = []
    for k in range(pictures.size(0)):
        for joint, visible in zip(joints[k], seen[k]):
            if visible[0]:
                lines.append(f"{int(joint[0])} {int(joint[1])}")
    print(name, lines)


device = torch.device("cuda")
model = net().to(device)
criterion = torch.nn.MSELoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
loader = DataLoader(Joints("train"), batch_size=4, shuffle=True)
for epoch in range(3):
    for step, (pictures, target, meta) in enumerate(loader):
        pictures, target = pictures.to(device), target.to(device)
        loss = criterion(model(pictures), target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 100 == 0:
            draw(pictures, meta["joints"], meta["seen"], f"train {epoch}")
