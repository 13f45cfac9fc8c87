"""Physics-informed network for the damped oscillator  u'' + 2μ·u' + ω²·u = 0."""
import math
import time

import numpy as np
import torch
import torch.nn as nn
import torch_xla.core.xla_model as xm

# problem: μ = damping, ω = eigenfrequency, u(0) = 1, u'(0) = 0
MU, OMEGA = 0.5, 3.0
N_COLLOCATION = 40
ADAM_STEPS = 10
LBFGS_STEPS = 2
PRINT_EVERY = 5

np.random.seed(0)
torch.manual_seed(0)
xm.set_rng_state(0)

device = xm.xla_device()


class FCN(nn.Module):
  """Fully connected network with tanh activations."""

  def __init__(self, n_in=1, n_out=1, n_hidden=16, n_layers=2):
    super().__init__()
    layers = [nn.Linear(n_in, n_hidden), nn.Tanh()]
    for _ in range(n_layers - 1):
      layers += [nn.Linear(n_hidden, n_hidden), nn.Tanh()]
    layers.append(nn.Linear(n_hidden, n_out))
    self.net = nn.Sequential(*layers)
    for m in self.net:
      if isinstance(m, nn.Linear):
        nn.init.xavier_normal_(m.weight)
        nn.init.zeros_(m.bias)

  def forward(self, t):
    return self.net(t)


def exact(t):
  """Analytic solution (under-damped), on the host."""
  w = math.sqrt(OMEGA ** 2 - MU ** 2)
  return np.exp(-MU * t) * (np.cos(w * t) + MU / w * np.sin(w * t))


class OscillatorPINN:

  def __init__(self):
    self.model = FCN().to(device)
    self.mse = nn.MSELoss()

    # collocation points: fixed for the whole run
    t = np.sort(np.random.uniform(0.0, 2.0, (N_COLLOCATION, 1))).astype(np.float32)
    self.t_pde = torch.from_numpy(t).to(device).requires_grad_(True)
    self.t_0 = torch.zeros(1, 1, device=device, requires_grad=True)
    self.one = torch.ones(1, 1, device=device)

    self.adam = torch.optim.Adam(self.model.parameters(), lr=2e-3)
    self.lbfgs = torch.optim.LBFGS(self.model.parameters(), lr=0.1, max_iter=2, history_size=3,
                                   tolerance_grad=1e-9, tolerance_change=1e-12)
    self.iteration = 0
    self.start = time.time()

  def derivative(self, u, t):
    return torch.autograd.grad(u, t, torch.ones_like(u), create_graph=True)[0]

  def loss(self):
    # ∂²u/∂t² + 2μ ∂u/∂t + ω² u
    u = self.model(self.t_pde)
    du = self.derivative(u, self.t_pde)
    ddu = self.derivative(du, self.t_pde)
    residual = ddu + 2 * MU * du + OMEGA ** 2 * u
    loss_pde = self.mse(residual, torch.zeros_like(residual))

    u0 = self.model(self.t_0)
    du0 = self.derivative(u0, self.t_0)
    loss_ic = self.mse(u0, self.one) + self.mse(du0, torch.zeros_like(du0))
    return 1e-2 * loss_pde + loss_ic

  def report(self, loss):
    if self.iteration % PRINT_EVERY == 0:
      xm.mark_step()
      xm.wait_device_ops()
      print("it %4d  loss %.3e  %.2f s" % (self.iteration, loss.item(), time.time() - self.start))
    self.iteration += 1

  def closure(self):
    self.lbfgs.zero_grad()
    loss = self.loss()
    loss.backward()
    xm.reduce_gradients(self.lbfgs)
    self.report(loss)
    return loss

  def fit(self):
    self.model.train()
    for _ in range(ADAM_STEPS):
      self.adam.zero_grad()
      loss = self.loss()
      loss.backward()
      xm.optimizer_step(self.adam, barrier=True)
      self.report(loss)

    print("switching to L-BFGS")
    for _ in range(LBFGS_STEPS):
      xm.optimizer_step(self.lbfgs, optimizer_args={"closure": self.closure})
      xm.mark_step()

  def test(self):
    self.model.eval()
    t = np.linspace(0.0, 2.0, 50, dtype=np.float32)[:, None]
    with torch.no_grad():
      u = self.model(torch.from_numpy(t).to(device)).cpu().numpy()
    error = np.linalg.norm(u - exact(t)) / np.linalg.norm(exact(t))
    print("relative L2 error: %.3f" % error)
    return error


if __name__ == "__main__":
  pinn = OscillatorPINN()
  pinn.fit()
  pinn.test()
  xm.save(pinn.model.state_dict(), "oscillator_pinn.pth")
  print("peak GPU memory: %.2f MB" % (((xm.get_memory_info(device)["kb_total"] - xm.get_memory_info(device)["kb_free"]) * 1024) / 1e6))
