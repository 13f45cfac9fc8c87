"""The networks that programs train, small ones; the marks in them are filled in where the model is made."""

from __future__ import annotations

NETS = {
    "plain": """
        class Net(nn.Module):
            def __init__(self, width<device_parameter>):
                super().__init__()
                self.body = nn.Linear(4, width)
                self.head = nn.Linear(width, 2)
                <self_to>

            <of>def forward(self, x):
                return self.head(torch.tanh(self.body(x)))
        """,
    "dropout": """
        class Net(nn.Module):
            def __init__(self, width<device_parameter>):
                super().__init__()
                self.body = nn.Sequential(nn.Linear(4, width), nn.ReLU(), nn.Dropout(0.2))
                self.head = nn.Linear(width, 2)
                <self_to>

            <of>def forward(self, x):
                return self.head(self.body(x))
        """,
    "base_class": """
        class Base(nn.Module):
            def __init__(self, width):
                super().__init__()
                self.body = self.make_body(width)
                self.head = nn.Linear(width, 2)

            def forward(self, x):
                return self.head(self.body(x))


        class Net(Base):
            <of>def make_body(self, width):
                return nn.Sequential(nn.Linear(4, width), nn.Tanh())
        """,
    "submodules": """
        class Net(nn.Module):
            def __init__(self, width<device_parameter>):
                super().__init__()
                self.layers = nn.ModuleList([nn.Linear(4, width), nn.Linear(width, 2)])
                self.scale = nn.Parameter(torch.ones(2))
                <self_to>

            <of>def forward(self, x):
                for layer in self.layers[:-1]:
                    x = F.relu(layer(x))
                return self.layers[-1](x) * self.scale
        """,
    "buffer": """
        class Net(nn.Module):
            def __init__(self, width):
                super().__init__()
                self.register_buffer("shift", torch.full((4,), 0.1))
                self.body = nn.Linear(4, width)
                self.head = nn.Linear(width, 2)

            <of>def forward(self, x):
                noise = torch.ones(x.size(0), 1, device=x.device) * 0.01
                return self.head(F.relu(self.body(x + self.shift))) + noise
        """,
}
"""The class `Net`, by the value of `network`."""
