from transformers import TrainingArguments

args = TrainingArguments("out")
