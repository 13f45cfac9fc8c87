import torch
from transformers import AutoModelForCausalLM, AutoModelForSequenceClassification, GPT2LMHeadModel

device = torch.device("cuda")
lm = AutoModelForCausalLM.from_pretrained("gpt2")
lm.to(device)
lm.tie_weights()
classifier = AutoModelForSequenceClassification.from_pretrained("bert-base-uncased").to(device)
second = GPT2LMHeadModel.from_pretrained("gpt2").cuda()
second.tie_weights()
