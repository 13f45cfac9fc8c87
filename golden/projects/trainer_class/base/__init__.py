from .base_trainer import BaseTrainer
from .base_model import BaseModel
