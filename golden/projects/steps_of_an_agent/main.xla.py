import torch
import torch_xla

import td3


def main():
    policy = td3.TD3(4, 2)
    replay = td3.Buffer()
    torch.manual_seed(0)
    torch_xla.manual_seed(0)
    for t in range(1000):
        action = policy.select_action(torch.randn(4).numpy())
        replay.add(action)
        if t >= 100:
            policy.train(replay, 16)
        torch_xla.sync()


if __name__ == "__main__":
    main()
