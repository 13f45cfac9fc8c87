try:
    from torch.cuda.amp import GradScaler
except ImportError:
    class GradScaler:
        def scale(self, loss):
            return loss

scaler = GradScaler()
