"""transformers.modeling_utils: what networks of transformers derive from, the program's own too."""

from meaning import combine, fresh, is_class, object_set
from torch.nn import Identity, Leaf, Module, Network

from .configuration_utils import PretrainedConfig


class PreTrainedModel(Module):
    """One that a program derives has the parts that it makes itself. What `tie_weights` ties, a move parts."""

    config_class = PretrainedConfig
    base_model_prefix = ""
    main_input_name = "input_ids"
    is_parallelizable = supports_gradient_checkpointing = False
    __more__ = (
        "_auto_class _backward_compatibility_gradient_checkpointing _convert_head_mask_to_5d"
        " _expand_inputs_for_generation _get_resized_embeddings _get_resized_lm_head"
        " _gradient_checkpointing_func _hf_peft_config_loaded _init_weights _initialize_weights"
        " _keep_in_fp32_modules _keys_to_ignore_on_load_missing _keys_to_ignore_on_load_unexpected"
        " _keys_to_ignore_on_save _no_split_modules _prepare_decoder_input_ids_for_generation _prune_heads"
        " _reorder_cache _resize_token_embeddings _set_gradient_checkpointing _supports_cache_class"
        " _supports_flash_attn_2 _supports_sdpa _supports_static_cache _tie_encoder_decoder_weights"
        " _tied_weights_keys _update_model_kwargs_for_generation active_adapters add_adapter add_memory_hooks"
        " add_model_tags adjust_logits_during_generation base_model beam_sample beam_search can_generate"
        " compute_transition_scores contrastive_search create_extended_attention_mask_for_decoder dequantize"
        " disable_adapters disable_input_require_grads dummy_inputs enable_adapters estimate_tokens"
        " floating_point_ops framework generation_config get_memory_footprint get_position_embeddings"
        " greedy_search group_beam_search is_gradient_checkpointing is_loaded_in_4bit is_loaded_in_8bit"
        " is_quantized load_adapter load_tf_weights loss_function loss_type name_or_path num_parameters"
        " prepare_inputs_for_generation prune_heads push_to_hub register_for_auto_class"
        " reset_memory_hooks_state resize_position_embeddings retrieve_modules_from_names"
        " reverse_bettertransformer sample set_adapter set_input_embeddings set_output_embeddings"
        " to_bettertransformer vocab_size warn_if_padding_and_no_attention_mask warnings_issued"
    )

    def __init__(self, config=None, *given, **more):
        self.config = config

    @classmethod
    def from_pretrained(cls, path=None, *given, **more):
        made = cls(more.get("config") or cls.config_class(), *given, **more)
        made.tie_weights()
        return made

    @classmethod
    def from_config(cls, config=None, *given, **more):
        return cls(config, *given, **more)

    _from_config = from_config

    def post_init(self):
        self.tie_weights()

    init_weights = post_init

    def get_input_embeddings(self):
        base = self.base_model_prefix
        return getattr(self, base).get_input_embeddings() if base and hasattr(self, base) else None

    def get_output_embeddings(self):
        return None

    def tie_weights(self):
        known = is_class(self.config, "transformers.configuration_utils.PretrainedConfig")
        tied = self.config.tie_word_embeddings if known else True
        output = self.get_output_embeddings() if tied else None
        if output is not None:
            given = self.get_input_embeddings()
            if given is not None:
                output.weight = given.weight
            object_set(self, "@tied", (output,))

    def _tie_or_clone_weights(self, output, given):
        output.weight = given.weight

    @property
    def device(self):
        return self.parameters()[0].device

    @property
    def dtype(self):
        return fresh("dtype")

    def get_extended_attention_mask(self, mask, *given, **more):
        return combine(mask)

    def invert_attention_mask(self, mask):
        return combine(mask)

    def get_head_mask(self, mask, number=None, *given):
        return [None] * number if mask is None else combine(mask)

    def generate(self, *given, **more):
        return self.forward(*given, **more)

    def resize_token_embeddings(self, *given, **more):
        return self.get_input_embeddings()

    def gradient_checkpointing_enable(self, *given, **more):
        return None

    gradient_checkpointing_disable = enable_input_require_grads = gradient_checkpointing_enable

    def save_pretrained(self, path, is_main_process=True, state_dict=None, save_function=None, **more):
        from meaning import saved

        if save_function is not None:
            save_function(self.state_dict() if state_dict is None else state_dict, path)
        else:
            saved(self.state_dict() if state_dict is None else state_dict, "save_pretrained")


class ReadyModel(PreTrainedModel, Network):
    """One of the library's own. Its results are tensors, whatever part of them is asked for: loss, logits, states."""

    def __init__(self, config=None, *given, **more):
        self.body = Leaf()
        self.head = Leaf()
        self.config = config

    def tie_weights(self):
        return None

    def resize_token_embeddings(self, *given, **more):
        return self


class LMHeadModel(ReadyModel):
    """One whose input and output embeddings may be tied."""


class Conv1D(Leaf):
    """A linear layer of GPT's."""


class SequenceSummary(Identity):
    def __init__(self, config=None):
        self.summary = Leaf()

    def forward(self, value, *given):
        return self.summary(value)


def apply_chunking_to_forward(function, size, dimension, *given):
    return function(*given)


def find_pruneable_heads_and_indices(heads, *given):
    return heads, fresh("index")


def prune_linear_layer(layer, *given, **more):
    return layer


prune_conv1d_layer = prune_layer = prune_linear_layer


def unwrap_model(model, *given, **more):
    return unwrap_model(model.module) if hasattr(model, "module") else model


def __getattr__(name):
    import transformers

    return getattr(transformers, name)
