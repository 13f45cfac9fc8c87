import amp_C
import torch


def apply_ema(decay, model_weights, ema_weights, overflow):
    amp_C.multi_tensor_axpby(65536, overflow, [ema_weights, model_weights, ema_weights], decay, 1 - decay, -1)
