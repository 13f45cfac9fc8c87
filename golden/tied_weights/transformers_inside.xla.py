"""Models of transformers inside of others tie by themselves, and part in the move of what holds them."""

import torch
from torch import nn
from transformers import BertModel, GPT2LMHeadModel
from transformers.modeling_utils import PreTrainedModel


class Decoder(PreTrainedModel):
    def __init__(self, config):
        super().__init__(config)
        self.words = nn.Embedding(config.words, 8)
        self.head = nn.Linear(8, config.words, bias=False)
        self.init_weights()

    def get_output_embeddings(self):
        return self.head


class Captioner(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.encoder = BertModel.from_pretrained("bert-base-uncased")
        self.writer = GPT2LMHeadModel.from_pretrained("gpt2")
        self.decoder = Decoder.from_pretrained("decoder", config=config)


def main(config):
    device = torch.device("cuda")
    model = Captioner(config)
    model = model.to(device)
    model.writer.tie_weights()
    model.decoder.tie_weights()
    decoder = Decoder(config).to(device)
    decoder.tie_weights()
    optimizer = torch.optim.AdamW([*model.parameters(), *decoder.parameters()])
    return model, decoder, optimizer


if __name__ == "__main__":
    main(settings)
