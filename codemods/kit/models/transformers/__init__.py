"""transformers, used without its Trainer: networks, tokenizers, schedules."""

from meaning import fresh, tensor, unknown
from torch.nn import Network
from torch.optim import AdamW, Optimizer
from torch.optim.lr_scheduler import LRScheduler


class PreTrainedModel(Network):
    """Its results are tensors, whatever part of them is asked for: loss, logits, hidden states."""

    config = fresh("model settings")

    @classmethod
    def from_pretrained(cls, *given, **more):
        return cls(fresh("model settings"))

    @classmethod
    def from_config(cls, *given, **more):
        return cls(fresh("model settings"))

    def generate(self, *given, **more):
        return self.forward(*given, **more)

    def resize_token_embeddings(self, *given, **more):
        return self

    def gradient_checkpointing_enable(self, *given, **more):
        return None

    def save_pretrained(self, path, is_main_process=True, state_dict=None, save_function=None, **more):
        from meaning import saved
        if save_function is not None:
            save_function(self.state_dict() if state_dict is None else state_dict, path)
        else:
            saved(self.state_dict() if state_dict is None else state_dict, "save_pretrained")

    gradient_checkpointing_disable = enable_input_require_grads = gradient_checkpointing_enable
    tie_weights = post_init = gradient_checkpointing_enable


class LMHeadModel(PreTrainedModel):
    """One whose input and output embeddings may be tied."""


class Encoding(dict):
    """What a tokenizer gives: tensors by name."""

    def to(self, device):
        from meaning import moved
        return moved(self, device)

    def __getattr__(self, name):
        return self[name]


class PreTrainedTokenizer:
    def __init__(self, *given, **more):
        return None

    @classmethod
    def from_pretrained(cls, *given, **more):
        return cls(fresh("vocabulary"))

    def __call__(self, *given, **more):
        made = Encoding()
        for name in ("input_ids", "attention_mask", "token_type_ids"):
            made[name] = tensor(scalar=False)
        return made

    encode_plus = batch_encode_plus = pad = __call__

    def __len__(self):
        return fresh("words")

    def __getattr__(self, name):
        return fresh("tokenizer's " + name)

    def save_pretrained(self, *given, **more):
        return None


def get_scheduler(name, optimizer=None, *given, **more):
    return LRScheduler(optimizer)


def get_linear_schedule_with_warmup(optimizer, *given, **more):
    return LRScheduler(optimizer)


get_cosine_schedule_with_warmup = get_constant_schedule_with_warmup = get_linear_schedule_with_warmup
get_constant_schedule = get_polynomial_decay_schedule_with_warmup = get_linear_schedule_with_warmup


def set_seed(seed):
    return None


def __getattr__(name):
    if "Token" in name or "Processor" in name or "FeatureExtractor" in name:
        return PreTrainedTokenizer
    if "Config" in name:
        return _Settings
    if "CausalLM" in name or "MaskedLM" in name or "LMHead" in name or "Seq2SeqLM" in name:
        return LMHeadModel
    if "ConditionalGeneration" in name or "ForPreTraining" in name or "HeadModel" in name or "HeadsModel" in name:
        return LMHeadModel
    if name[:9] == "modeling_" and name != "modeling_utils" or name[:12] == "tokenization":
        import transformers
        return transformers
    if "Model" in name or "For" in name or "Encoder" in name or "Decoder" in name:
        return PreTrainedModel
    return unknown("transformers." + name)


class _Settings:
    def __init__(self, *given, **more):
        return None

    @classmethod
    def from_pretrained(cls, *given, **more):
        return cls()

    def __getattr__(self, name):
        return fresh("model setting")
