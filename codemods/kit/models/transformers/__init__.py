"""transformers, used without its Trainer: networks, tokenizers, schedules."""

from meaning import fresh, harmless, tensor, unknown
from torch.nn import Leaf, Plain
from torch.optim import AdamW, Optimizer
from torch.optim.lr_scheduler import LRScheduler

from .configuration_utils import PretrainedConfig
from .modeling_outputs import ModelOutput
from .modeling_utils import Conv1D, LMHeadModel, PreTrainedModel, ReadyModel


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


def add_start_docstrings(*given, **more):
    return lambda decorated: decorated


add_end_docstrings = add_code_sample_docstrings = replace_return_docstrings = add_start_docstrings
add_start_docstrings_to_model_forward = add_start_docstrings_to_callable = add_start_docstrings


class _Activations(dict):
    """Functions, or modules, by name."""

    def __getitem__(self, name):
        return Plain()


ACT2FN = ACT2CLS = _Activations()
logging = harmless("transformers.logging")
_PARTS = ("Layer", "Attention", "Embeddings", "Pooler", "Block", "MLP", "Intermediate", "Output", "Head")
_FILES = ("modeling_", "tokenization_", "configuration_")


def __getattr__(name):
    if name == name.lower() and (name in _FOLDERS or any([name.startswith(one) for one in _FILES])):
        import transformers

        return transformers
    if "Token" in name or "Processor" in name or "FeatureExtractor" in name:
        return PreTrainedTokenizer
    if "Config" in name:
        return PretrainedConfig
    if name.endswith("PreTrainedModel"):
        return PreTrainedModel
    if "ModelOutput" in name or name.endswith("OutputWithPast"):
        return ModelOutput
    if "CausalLM" in name or "MaskedLM" in name or "LMHead" in name or "Seq2SeqLM" in name:
        return LMHeadModel
    if "ConditionalGeneration" in name or "ForPreTraining" in name or "HeadModel" in name or "HeadsModel" in name:
        return LMHeadModel
    if "Model" in name or "For" in name or "Encoder" in name or "Decoder" in name:
        return ReadyModel
    if any([name.endswith(one) for one in _PARTS]):
        return Leaf
    return unknown("transformers." + name)


_FOLDERS = ("models", "file_utils", "utils", "activations", "pytorch_utils", "optimization", "generation")
