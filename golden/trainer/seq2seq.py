import transformers
from transformers import Seq2SeqTrainer


def run():
    trainer = Seq2SeqTrainer(model=transformers.AutoModel.from_pretrained("t5-small"))
    trainer.train()


if __name__ == '__main__':
    # a single call
    run()
