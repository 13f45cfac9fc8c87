import torch
import torch.nn as nn


class BertEmbeddings(nn.Module):
    def __init__(self, vocab_size, hidden_size, max_length):
        super().__init__()
        self.words = nn.Embedding(vocab_size, hidden_size)
        self.positions = nn.Embedding(max_length, hidden_size)
        self.norm = nn.LayerNorm(hidden_size)

    def forward(self, input_ids):
        position_ids = torch.arange(input_ids.size(1), dtype=torch.long, device=input_ids.device)
        return self.norm(self.words(input_ids) + self.positions(position_ids))


class BertForPreTraining(nn.Module):
    """Masked language model and next-sentence prediction over one small encoder."""

    def __init__(self, vocab_size=40, hidden_size=16, max_length=12):
        super().__init__()
        self.embeddings = BertEmbeddings(vocab_size, hidden_size, max_length)
        self.attention = nn.MultiheadAttention(hidden_size, 2)
        self.dense = nn.Linear(hidden_size, hidden_size)
        self.decoder = nn.Linear(hidden_size, vocab_size)
        self.seq_relationship = nn.Linear(hidden_size, 2)

    def forward(self, input_ids, attention_mask):
        hidden = self.embeddings(input_ids).transpose(0, 1)
        attended, _ = self.attention(hidden, hidden, hidden, key_padding_mask=attention_mask == 0)
        hidden = torch.tanh(self.dense(hidden + attended)).transpose(0, 1)
        return self.decoder(hidden), self.seq_relationship(hidden[:, 0])


class BertPretrainingCriterion(nn.Module):
    def __init__(self, vocab_size=40):
        super().__init__()
        self.loss_fn = nn.CrossEntropyLoss(ignore_index=-1)
        self.vocab_size = vocab_size

    def forward(self, prediction_scores, seq_relationship_score, masked_lm_labels, next_sentence_labels):
        masked_lm_loss = self.loss_fn(prediction_scores.view(-1, self.vocab_size), masked_lm_labels.view(-1))
        next_sentence_loss = self.loss_fn(seq_relationship_score.view(-1, 2), next_sentence_labels.view(-1))
        return masked_lm_loss + next_sentence_loss
