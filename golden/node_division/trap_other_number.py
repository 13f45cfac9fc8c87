size = len(data)
batches = 512 // (size // 8)
batches //= size // 8
