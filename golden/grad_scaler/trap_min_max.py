import torch
from sklearn.preprocessing import MinMaxScaler as GradScaler

scaler = GradScaler()
data = scaler.fit_transform(torch.randn(8, 2).cuda().cpu().numpy())
