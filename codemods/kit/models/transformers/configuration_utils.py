"""transformers.configuration_utils: settings of networks. One that a file gives is the same wherever it is asked."""

from meaning import fresh


class PretrainedConfig:
    """How results are given, and what is tied, is as it is by default unless the program says otherwise."""

    return_dict = use_return_dict = tie_word_embeddings = True
    output_attentions = output_hidden_states = torchscript = tie_encoder_decoder = False
    chunk_size_feed_forward = 0

    def __init__(self, *given, **more):
        self._path = fresh("model settings")
        for name, value in more.items():
            setattr(self, name, value)

    @classmethod
    def from_pretrained(cls, *given, **more):
        return cls(**more)

    from_json_file = from_dict = from_pretrained

    def update(self, given):
        for name, value in given.items():
            setattr(self, name, value)

    def save_pretrained(self, *given, **more):
        return None

    def __getattr__(self, name):
        return self._path + name
