import torch

from network import Network


def main():
    device = torch.device("cuda")
    net = Network(8).to(device)
    optimizer = torch.optim.Adam(net.parameters())
    for step in range(1000):
        loss = net(torch.randn(4, 8, device=device))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 100 == 0:
            sample, kept = net.restoration(torch.randn(4, 8, device=device))
            print(sample.cpu(), kept.cpu())
    print(net.settle(torch.randn(4, 8, device=device)).cpu())


if __name__ == "__main__":
    main()
