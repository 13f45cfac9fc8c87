import tensorrt as trt
import torch

from network import build

model = build().eval()
model.load_state_dict(torch.load("model.pt"))
x = torch.randn(1, 4).cuda()
torch.onnx.export(model, x, "model.onnx")
builder = trt.Builder(trt.Logger(trt.Logger.WARNING))
