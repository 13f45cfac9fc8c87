"""torch.nn: modules, and the wrappers that average gradients. A module that is not named here has one parameter."""

from meaning import (
    averages,
    buffer,
    combine,
    event,
    call_module,
    fresh,
    has_taint,
    batch_norm,
    is_tensor as _is_tensor,
    layer_of,
    leaf,
    moved,
    parameters as _parameters,
    place,
    device_kind,
    parameter as _parameter,
    require as _require,
    say,
    set_world,
    target_is_cuda,
    target_is_legacy,
    unknown,
)
from torch import Tensor
from torch._types import converted as _converted

from . import functional, init, utils


class Parameter(Tensor):
    requires_grad = True

    def __make__(cls, data=None, requires_grad=True):
        made = _parameter(cls, data)
        made.requires_grad = requires_grad
        return made


class Buffer(Tensor):
    pass


_UNREAD = (
    "T_destination _backward_hooks _backward_pre_hooks _call_impl _compiled_call_impl _forward_hooks"
    " _forward_pre_hooks _forward_hooks_always_called _forward_hooks_with_kwargs _forward_pre_hooks_with_kwargs"
    " _get_backward_hooks _get_name _get_backward_pre_hooks _is_full_backward_hook _load_from_state_dict"
    " _load_state_dict_post_hooks _named_members _load_state_dict_pre_hooks _maybe_warn_non_full_backward_hook"
    " _non_persistent_buffers_set _save_to_state_dict _register_load_state_dict_pre_hook _register_state_dict_hook"
    " _replicate_for_data_parallel _slow_forward _version _state_dict_hooks _state_dict_pre_hooks"
    " _wrapped_call_impl call_super_init dump_patches get_buffer get_extra_state get_parameter ipu mtia"
    " register_full_backward_pre_hook register_load_state_dict_post_hook set_extra_state xpu"
    " register_load_state_dict_pre_hook register_state_dict_post_hook register_state_dict_pre_hook set_submodule"
)
"""What every module has besides."""


class Module:
    training = True
    __lacks__ = ("module", "no_sync", "reducer", "_orig_mod")
    __more__ = _UNREAD

    def __init__(self, *given, **more):
        return None

    __call__ = call_module

    def to(self, *given, **more):
        place(self, device_kind(*given, more.get("device")))
        return self

    def cuda(self, device=None):
        place(self, "cuda")
        return self

    def cpu(self):
        place(self, "cpu")
        return self

    def to_empty(self, device=None, **more):
        place(self, device)
        return self

    def half(self):
        return self

    float = double = bfloat16 = half

    def eval(self):
        return self.train(False)

    def type(self, kind):
        return _converted(self, kind)

    def train(self, mode=True):
        _train(self, mode)
        return self

    def apply(self, function):
        for module in self.modules():
            function(module)
        return self

    def parameters(self, recurse=True):
        return _parameters(self)

    def named_parameters(self, *given, **more):
        return [(fresh("parameter name"), one) for one in _parameters(self)]

    def buffers(self, *given):
        return _buffers(self)

    def named_buffers(self, *given):
        return [(fresh("buffer name"), one) for one in _buffers(self)]

    def modules(self):
        return _modules(self)

    def named_modules(self, *given, **more):
        return [(fresh("module name"), one) for one in _modules(self)]

    def children(self):
        return _children(self)

    def named_children(self):
        return [(fresh("module name"), one) for one in _children(self)]

    def register_buffer(self, name, value, *given, **more):
        buffer(self, name, value)

    def register_parameter(self, name, value):
        setattr(self, name, value)

    def add_module(self, name, module):
        setattr(self, name, module)

    register_module = add_module

    def _apply(self, function, *given, **more):
        return unknown("what is done to all tensors of a module")(self, function)

    def compile(self, *given, **more):
        return None

    @property
    def _modules(self):
        return _Parts(self, Module)

    @property
    def _parameters(self):
        return _Parts(self, Parameter)

    @property
    def _buffers(self):
        return _Parts(self, Buffer)

    def register_forward_hook(self, hook, *given, **more):
        return unknown("a hook's handle")

    register_forward_pre_hook = register_backward_hook = register_full_backward_hook = register_forward_hook

    def state_dict(self, *given, **more):
        return _state_of(self)

    def load_state_dict(self, state, strict=True, assign=False):
        _load_state(self, state)
        if assign is True and has_taint(state, "loaded"):
            place(self, "cpu")
        return fresh("keys")

    def zero_grad(self, set_to_none=True, **more):
        _zero(self, set_to_none is False)

    def requires_grad_(self, on=True):
        _require(self, on)
        return self

    def share_memory(self):
        return self

    def get_submodule(self, name):
        return unknown("a submodule")

    def extra_repr(self):
        return ""

    def forward(self, *given, **more):
        return combine(self, *given, *more.values())


from meaning import (
    buffers as _buffers,
    children as _children,
    load_state as _load_state,
    modules as _modules,
    state_of as _state_of,
    train as _train,
    zero as _zero,
)


class OptimizedModule(Module):
    """What torch.compile makes of a module: names in its state begin with `_orig_mod.`."""

    __lacks__ = ()

    def __init__(self, model, backend=None):
        self._orig_mod = model
        self._backend = backend

    def __getattr__(self, name):
        return getattr(self._orig_mod, name)

    def forward(self, *given, **more):
        return self._orig_mod(*given, **more)


class Leaf(Module):
    """A module of the library with parameters of its own."""

    in_features = out_features = num_features = in_channels = out_channels = embedding_dim = fresh("features")

    __init__ = layer_of(Parameter, "weight")

    def forward(self, *given, **more):
        return leaf(self, *given, *more.values())


class Linear(Leaf):
    __init__ = layer_of(Parameter, "weight", "bias")


class Conv2d(Linear):
    pass


class LayerNorm(Leaf):
    pass


class GroupNorm(Leaf):
    pass


class Conv1d(Leaf):
    pass


class Conv3d(Leaf):
    pass


class ConvTranspose1d(Leaf):
    pass


class ConvTranspose2d(Leaf):
    pass


class ConvTranspose3d(Leaf):
    pass


class Embedding(Leaf):
    @classmethod
    def from_pretrained(cls, *given, **more):
        return cls()


class _Recurrent(Leaf):
    def forward(self, *given, **more):
        return leaf(self, *given, *more.values()), (leaf(self, *given), leaf(self, *given))

    def flatten_parameters(self):
        return None


class LSTM(_Recurrent):
    pass


class RNN(_Recurrent):
    def forward(self, *given, **more):
        return leaf(self, *given, *more.values()), leaf(self, *given)


class GRU(RNN):
    def __init__(self, *given, **more):
        super().__init__(*given, **more)
        self.both_ways = more.get("bidirectional", len(given) > 6 and given[6])

    def forward(self, *given, **more):
        # torch_xla 2.x puts a scan over XLA tensors in the place of one that goes one way (seen with 2.9).
        if not (target_is_cuda() or target_is_legacy()) and not self.both_ways:
            if device_kind(self.weight) == "cpu":
                say("what is written runs on torch_xla", "nn.GRU fails on the host once torch_xla is imported")
        return super().forward(*given, **more)


class Network(Leaf):
    """A ready network of a library: a body and a head. A part that is asked for by name is the one or the other."""

    def __init__(self, *given, **more):
        self.body = Leaf()
        self.head = Leaf()
        for one in (*given, *more.values()):
            if isinstance(one, Module):
                self.body = one

    def __getattr__(self, name):
        if name in _NUMBERS:
            return fresh("number")
        return self.body if name in _BODIES else self.head


_NUMBERS = (
    "in_features",
    "out_features",
    "num_features",
    "in_channels",
    "out_channels",
    "embed_dim",
    "num_classes",
    "name",
)
_BODIES = (
    "features",
    "backbone",
    "encoder",
    "layer1",
    "layer2",
    "layer3",
    "layer4",
    "conv1",
    "bn1",
    "base_model",
)


class MultiheadAttention(Leaf):
    def forward(self, *given, **more):
        return leaf(self, *given, *more.values()), leaf(self, *given)


class BatchNorm2d(Leaf):
    """Its statistics are those of the data of one process."""

    __init__ = layer_of(Parameter, "weight", "bias", "running_mean")
    forward = batch_norm


BatchNorm1d = BatchNorm3d = BatchNorm2d


class SyncBatchNorm(BatchNorm2d):
    @classmethod
    def convert_sync_batchnorm(cls, module, *given, **more):
        return module


class Identity(Module):
    def forward(self, value, *given, **more):
        return value


class Plain(Module):
    """A module of the library without parameters. Tensors it is made with go where it goes."""

    def __init__(self, *given, **more):
        for value in (*given, *more.values()):
            if _is_tensor(value):
                self.register_buffer("weight", value)

    def forward(self, *given, **more):
        return leaf(self, *given, *more.values())


class Wide(Plain):
    """One that autocast leaves in full precision."""


Softmax = LogSoftmax = Softmax2d = Wide
ReLU = LeakyReLU = GELU = SiLU = Tanh = Sigmoid = ELU = ReLU6 = Hardswish = Mish = Plain
Dropout = Dropout2d = Dropout3d = MaxPool1d = MaxPool2d = MaxPool3d = AvgPool1d = AvgPool2d = AvgPool3d = Plain
AdaptiveAvgPool1d = AdaptiveAvgPool2d = AdaptiveAvgPool3d = AdaptiveMaxPool2d = Flatten = Unflatten = Upsample = Plain
PixelShuffle = ZeroPad2d = ReflectionPad2d = ConstantPad2d = Fold = Unfold = CosineSimilarity = Plain
CrossEntropyLoss = MSELoss = L1Loss = SmoothL1Loss = NLLLoss = BCELoss = BCEWithLogitsLoss = KLDivLoss = Wide
CTCLoss = TripletMarginLoss = HuberLoss = MarginRankingLoss = HingeEmbeddingLoss = CosineEmbeddingLoss = Wide
MultiLabelSoftMarginLoss = PoissonNLLLoss = GaussianNLLLoss = Wide


class _Parts(dict):
    """What a module holds, by its names: what is put there becomes an attribute."""

    def __init__(self, module, kind):
        self.owner = module
        for name, one in module.__dict__.items():
            if isinstance(one, kind):
                super().__setitem__(name, one)

    def __setitem__(self, name, value):
        setattr(self.owner, name, value)


class _Holder(Module):
    def __iter__(self):
        for module in self._children:
            yield module

    def __getitem__(self, key):
        return self._children[key]

    def __len__(self):
        return len(self._children)


class Sequential(_Holder):
    def __init__(self, *modules):
        if len(modules) == 1 and isinstance(modules[0], dict):
            self._children = [one for one in modules[0].values()]
            for name, module in modules[0].items():
                setattr(self, name, module)
        else:
            self._children = [one for one in modules]

    def add_module(self, name, module):
        self._children.append(module)
        setattr(self, name, module)

    append = lambda self, module: self._children.append(module)

    def __setitem__(self, key, module):
        self._children[key] = module

    def __getattr__(self, name):
        return unknown("a part of a Sequential")

    def forward(self, value, *given):
        for module in self._children:
            value = module(value)
        return value


class ModuleList(_Holder):
    def __init__(self, modules=()):
        self._children = [one for one in modules]

    def append(self, module):
        self._children.append(module)
        return self

    def extend(self, modules):
        self._children.extend(modules)
        return self

    def insert(self, at, module):
        self._children.append(module)

    def add_module(self, name, module):
        self._children.append(module)

    register_module = add_module

    def __setitem__(self, key, module):
        self._children[key] = module


class ParameterList(ModuleList):
    pass


class ModuleDict(_Holder):
    def __init__(self, modules=None):
        self._children = dict(modules) if modules is not None else {}

    def __setitem__(self, key, module):
        self._children[key] = module

    def __contains__(self, key):
        return key in self._children

    def keys(self):
        return self._children.keys()

    def values(self):
        return self._children.values()

    def items(self):
        return self._children.items()

    def update(self, more):
        self._children.update(more)

    def __getattr__(self, name):
        return self._children[name]


ParameterDict = ModuleDict


class DistributedDataParallel(Module):
    """Averages the gradients of what it wraps over the processes, while backward runs."""

    def __init__(self, module, *given, **more):
        self.module = module
        averages(module)
        event("wrapper", "DistributedDataParallel")

    def forward(self, *given, **more):
        return self.module(*moved(given, "cuda"), **moved(more, "cuda"))

    def no_sync(self):
        return _NoSync()

    def register_comm_hook(self, state, hook):
        event("communication hook")

    def join(self, *given, **more):
        return _NoSync()


class _NoSync:
    def __enter__(self):
        set_world("no_sync", True)

    def __exit__(self, *given):
        set_world("no_sync", False)


class DataParallel(Module):
    """Runs what it wraps on several devices, each with its part of the batch; where CUDA has none, as it is."""

    def __init__(self, module, *given, **more):
        self.module = module
        if target_is_cuda():
            averages(module)
        event("wrapper", "DataParallel")

    def forward(self, *given, **more):
        if not (target_is_cuda() or target_is_legacy()):
            return self.module(*given, **more)  # it has no devices where CUDA is not there
        return self.module(*moved(given, "cuda"), **moved(more, "cuda"))


from . import parallel


def __getattr__(name):
    return Leaf
