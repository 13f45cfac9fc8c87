"""Training and validation in one loop: a mark on both paths, before the values are read."""
import torch
import torch_xla


def train_model(model, criterion, optimizer, batches, sizes, device):
    model = model.to(device)
    for epoch in range(25):
        for phase in ["train", "val"]:
            running_loss = 0.0
            for k in range(sizes[phase]):
                inputs, labels = batches[phase](k)
                inputs, labels = inputs.to(device), labels.to(device)
                optimizer.zero_grad()
                with torch.set_grad_enabled(phase == "train"):
                    outputs = model(inputs)
                    loss = criterion(outputs, labels)
                    if phase == "train":
                        loss.backward()
                        optimizer.step()
                torch_xla.sync()
                running_loss += loss.item() * inputs.size(0)
            print(phase, running_loss / sizes[phase])
