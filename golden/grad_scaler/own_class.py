class GradScaler:
    pass


scaler = GradScaler()
