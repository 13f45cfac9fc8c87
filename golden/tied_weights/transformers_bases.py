"""Networks that a program derives from transformers' base, with its decorators and outputs: what it ties is tied again."""

import torch
from torch import nn
from transformers.file_utils import ModelOutput, add_start_docstrings_to_model_forward
from transformers.modeling_outputs import BaseModelOutputWithPast
from transformers.modeling_utils import PreTrainedModel
from transformers.models.bert.configuration_bert import BertConfig


class WriterModel(PreTrainedModel):
    config_class = BertConfig
    base_model_prefix = "body"

    def _init_weights(self, module):
        if isinstance(module, nn.Linear):
            module.weight.data.normal_(mean=0.0, std=self.config.initializer_range)


class Body(WriterModel):
    def __init__(self, config):
        super().__init__(config)
        self.words = nn.Embedding(config.vocab_size, config.hidden_size)
        self.layers = nn.ModuleList([nn.Linear(8, 8) for _ in range(config.num_hidden_layers)])
        self.init_weights()

    def get_input_embeddings(self):
        return self.words

    @add_start_docstrings_to_model_forward("what it takes")
    def forward(self, input_ids, return_dict=None):
        hidden = self.words(input_ids)
        for layer in self.layers:
            hidden = layer(hidden)
        return BaseModelOutputWithPast(last_hidden_state=hidden) if self.config.use_return_dict else (hidden,)


class Writer(WriterModel):
    def __init__(self, config):
        super().__init__(config)
        self.body = Body(config)
        self.head = nn.Linear(config.hidden_size, config.vocab_size)
        self.init_weights()

    def get_output_embeddings(self):
        return self.head

    def forward(self, input_ids, labels=None):
        logits = self.head(self.body(input_ids).last_hidden_state)
        return ModelOutput(logits=logits, loss=nn.functional.cross_entropy(logits.flatten(0, 1), labels.flatten()))


class Pair(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.writer = Writer.from_pretrained("writer", config=config)
        self.reader = Body(config)

    def forward(self, ids):
        return self.writer(ids, labels=ids).loss + self.reader(ids)[0].mean()


def main():
    device = torch.device("cuda")
    model = Pair(BertConfig.from_json_file("config.json")).to(device)
    optimizer = torch.optim.AdamW(model.parameters())
    for _ in range(10):
        loss = model(torch.randint(9, (2, 5)).to(device))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


if __name__ == "__main__":
    main()
