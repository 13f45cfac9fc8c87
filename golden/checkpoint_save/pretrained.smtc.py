import torch
import torch.distributed as dist
from torch import nn
import torch_xla.core.xla_model as xm
from transformers import AutoModelForCausalLM, AutoTokenizer


class Encoder(nn.Module):
    def save_pretrained(self, path):
        torch.save({k: v.cpu() for k, v in self.state_dict().items()}, path)


tokenizer = AutoTokenizer.from_pretrained("gpt2")
model = AutoModelForCausalLM.from_pretrained("gpt2").cuda()
encoder = Encoder().cuda()
model.save_pretrained("at_first", save_function=xm.save)
if dist.get_rank() == 0:
    print("saving")
model_to_save = model.module if hasattr(model, "module") else model
model_to_save.save_pretrained("out", save_function=xm.save)
if dist.get_rank() == 0:
    tokenizer.save_pretrained("out")
encoder.save_pretrained("encoder.pt")
model.save_pretrained("on_the_host", state_dict={k: v.cpu() for k, v in model.state_dict().items()})
