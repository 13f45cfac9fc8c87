entry_point = "train.py"
settings = {"entry_point": "train.py", "hyperparameters": {"fp16": True}}
