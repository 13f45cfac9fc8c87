"""torch: tensors, devices, gradients on and off. What is not named here makes a tensor of what it is given."""

from meaning import (
    combine,
    copied_into as _copied_into,
    device_kind,
    event,
    for_host as _for_host,
    fresh,
    get_world,
    has_taint,
    is_tensor as _is_tensor,
    moved,
    operator,
    read,
    say as _say,
    seeded as _seeded,
    backward as _backward,
    set_world,
    target_is_cuda as _target_is_cuda,
    tensor as _tensor,
    unknown,
)
from meaning import for_numpy as _for_numpy, lowered as _lowered, lowers as _lowers, widened as _widened
from meaning import repeated as _repeated, sized as _with_size
from meaning import absorb as _absorb, made_on_host as _made_on_host, alike as _same, called as _called, drawn as _drawn
from meaning import bare as _bare, forget as _forget, method as _method, set_tensor_attribute as _set_tensor_attribute

float32 = float = "float32"
float16 = half = "float16"
bfloat16 = "bfloat16"
float64 = double = "float64"
int64 = long = "int64"
int32 = int = "int32"
uint8 = "uint8"
bool = "bool"
__version__ = fresh("torch version")


class device:
    def __init__(self, kind, index=None):
        self.type = device_kind(kind)
        self.index = index

    def __eq__(self, other):
        return self.type == device_kind(other)

    def __enter__(self):
        return self

    def __exit__(self, *given):
        return None


class Tensor:
    requires_grad = True
    is_leaf = False

    def __init__(self, *given, **more):
        _made_on_host(self, *given)

    @property
    def device(self):
        return _device_of(self)

    @property
    def data(self):
        _bare(self)
        return self

    @property
    def grad(self):
        return _gradient(self)

    @property
    def shape(self):
        return _shape(self)

    @property
    def is_cuda(self):
        return device_kind(self) == "cuda"

    def size(self, dim=None):
        return _shape(self) if dim is None else fresh("size")

    def numel(self):
        return fresh("numel")

    def dim(self):
        return fresh("dim")

    ndimension = dim

    def item(self):
        return read(self, ".item()")

    def tolist(self):
        return read(self, ".tolist()")

    def numpy(self, force=False):
        _for_numpy(self)
        if not force:
            _for_host(self, ".numpy()")
        return read(self, ".numpy()")

    def __len__(self):
        return fresh("length")

    def __bool__(self):
        return read(self, "bool()")

    def cpu(self, *given):
        if device_kind(self) != "cpu":
            event("to host")
            read(self, ".cpu()")
        return moved(self, "cpu")

    def cuda(self, *given, **more):
        return moved(self, "cuda")

    def to(self, *given, **more):
        kind = device_kind(*given, more.get("device"))
        made = _same(self) if kind is None else self.cpu() if kind == "cpu" else moved(self, kind)
        return _widened(made) if given[kind is not None :] or "dtype" in more or "other" in more else made

    def detach(self):
        return _detached(self)

    def clone(self):
        return _same(self)

    def backward(self, *given, **more):
        _backward(self)

    def type(self, kind=None):
        return fresh("type") if kind is None else combine(_converted(self, kind))

    def type_as(self, other):
        return _widened(moved(self, other))

    def new_zeros(self, *given, **more):
        return _tensor(device=more.get("device", self))

    new_tensor = new = new_zeros

    def new_ones(self, *size, **more):
        return _with_size("a new tensor", self.new_zeros(**more), *size)

    new_empty = new_ones

    def new_full(self, size, *given, **more):
        return self.new_ones(size, **more)

    def requires_grad_(self, on=True):
        self.requires_grad = on
        return self

    def register_hook(self, hook):
        self.hook = unknown("a hook")
        return self.hook

    def retain_grad(self):
        return None

    def pin_memory(self, *given):
        return self

    def share_memory_(self):
        return self

    def copy_(self, other, *given, **more):
        _copied_into(self, other)
        return self

    __getattr__ = _method
    __call__ = _called

    def __setattr__(self, name, value):
        _set_tensor_attribute(self, name, value)


def _device_of(value):
    made = device("")
    made.type = device_kind(value)
    return made


class Size(list):
    """How many dimensions a tensor has is not known."""

    def __len__(self):
        return fresh("dim")


def _shape(value):
    return Size([fresh("size"), fresh("size")])


def _detached(value):
    made = _same(value)
    _forget(made)
    return made


from meaning import gradient as _gradient
from meaning import without_gradients as _without_gradients


def is_tensor(value):
    return _is_tensor(value)


def tensor(data=None, dtype=None, device=None, requires_grad=False, **more):
    return _tensor(data, device=device, scalar=_is_number(data))


as_tensor = tensor


def from_numpy(array):
    return _tensor(array, device="cpu", scalar=False)


def _sized(*given, device=None, size=(), **more):
    if has_taint(given, "ragged"):
        event("ragged batch")
    return _with_size("a new tensor", _tensor(device=device, scalar=_is_empty(given)), *given, size)


def full(size, value=None, *given, **more):
    return _sized(size, **more)


def linspace(*given, device=None, **more):
    return _tensor(device=device, scalar=False)


def _random(*given, generator=None, **more):
    made = _sized(*given, **more)
    return _drawn(made) if generator is None else made


def _random_values(*given, generator=None, **more):
    made = _sized(*given, **more)
    return _drawn(made, True) if generator is None else made


def normal(mean=None, std=None, size=None, *given, **more):
    return _random_values(size, **more)


def randint(*given, **more):
    return _random(*given[-1:], **more)


zeros = ones = empty = eye = arange = _sized
randn = rand = _random_values
randperm = _random


def _random_of(name, values=True):
    """Random numbers in the shape, or of the weights, of a tensor."""
    like = operator("torch." + name)

    def draw(*given, generator=None, **more):
        made = like(*given, **more)
        return _drawn(made, values) if generator is None else made

    return draw


randn_like, rand_like = _random_of("randn_like"), _random_of("rand_like")
bernoulli, poisson = _random_of("bernoulli"), _random_of("poisson")
randint_like, multinomial = _random_of("randint_like", False), _random_of("multinomial", False)


from ._types import converted as _converted, tensortype as _tensortype

FloatTensor = _tensortype("torch.FloatTensor", "cpu")
HalfTensor = _tensortype("torch.HalfTensor", "cpu")
DoubleTensor = _tensortype("torch.DoubleTensor", "cpu")
LongTensor = _tensortype("torch.LongTensor", "cpu")
IntTensor = _tensortype("torch.IntTensor", "cpu")
ByteTensor = _tensortype("torch.ByteTensor", "cpu")
BoolTensor = _tensortype("torch.BoolTensor", "cpu")

from meaning import is_empty as _is_empty, is_number as _is_number


def manual_seed(seed):
    _seeded(seed)
    return Generator()


def seed():
    return fresh("seed")


def initial_seed():
    return fresh("seed")


def get_rng_state(*given):
    return _tensor(device="cpu")


def set_rng_state(*given):
    event("seed", "torch")


def set_default_tensor_type(kind):
    event("default tensor type", kind)


def set_default_device(where):
    set_world("default device", device_kind(where))


def set_default_dtype(kind):
    return None


class Generator:
    def __init__(self, device=None):
        self.device = device
        if device_kind(device) == "xla":
            _say("what is written runs on torch_xla", "torch makes no generator of random numbers on the XLA device")

    def manual_seed(self, seed):
        return self

    def seed(self):
        return fresh("seed")

    def get_state(self):
        return _tensor(device="cpu")

    def set_state(self, state):
        return None


class _Mode:
    """A context manager or decorator that changes nothing that is followed here."""

    name = ""

    def __init__(self, *given, **more):
        self.given = given
        self.more = more

    def __enter__(self):
        event("enter", self.name)
        return self

    def __exit__(self, *given):
        return None

    def __call__(self, function):
        return function


class no_grad(_Mode):
    """Nothing is remembered for backward."""

    name = "no_grad"
    _before = False

    def __enter__(self):
        event("enter", self.name)
        self._before = get_world("no_grad")
        set_world("no_grad", True)
        return self

    def __exit__(self, *given):
        set_world("no_grad", self._before)

    def __call__(self, function=None):
        return _without_gradients(function) if function is not None else self


class inference_mode(no_grad):
    pass


class enable_grad(_Mode):
    name = "enable_grad"


class set_grad_enabled(_Mode):
    name = "set_grad_enabled"
    _before = False

    def __enter__(self):
        self._before = get_world("no_grad")
        set_world("no_grad", self.given == (False,))
        return self

    def __exit__(self, *given):
        set_world("no_grad", self._before)


class autocast(_Mode):
    """What it makes is in low precision, but for what needs more."""

    name = "autocast"
    _before = False

    def __enter__(self):
        event("enter", self.name)
        self._before = get_world("autocast")
        set_world("autocast", _lowers(*self.given, **self.more))
        return self

    def __exit__(self, *given):
        set_world("autocast", self._before)

    def __call__(self, function):
        return _lowered(function) if _lowers(*self.given, **self.more) else function


def save(value, path, *given, **more):
    from meaning import saved, written

    event("alone", "torch.save")
    saved(value, "torch.save")
    written(path, False)


def load(path, map_location=None, *given, **more):
    from meaning import loaded

    return loaded(path, map_location)


def compile(model=None, *given, **more):
    if not _target_is_cuda() and more.get("backend", "inductor") == "inductor" and not more.get("disable"):
        _say("what is written runs on torch_xla", "torch.compile's own backend knows no XLA tensors")
    if _is_module(model):
        return _compiled(model, more.get("backend"))
    return model if model is not None else (lambda function: function)


def _is_module(value):
    from torch.nn import Module

    return isinstance(value, Module)


def _compiled(model, backend):
    from torch.nn import OptimizedModule

    return OptimizedModule(model, backend)


def is_grad_enabled():
    return fresh("grad enabled")


def set_num_threads(count):
    return None


set_float32_matmul_precision = use_deterministic_algorithms = set_num_threads
set_printoptions = set_num_interop_threads = set_num_threads


def device_count():
    return fresh("device count")


def is_floating_point(value):
    return fresh("is floating point")


def unique(value, *given, **more):
    event("dynamic shape", "torch.unique")
    return combine(value)


def nonzero(value, *given, **more):
    event("dynamic shape", "torch.nonzero")
    return combine(value)


def masked_select(value, mask, *given):
    event("dynamic shape", "torch.masked_select")
    return combine(value, mask)


def repeat_interleave(value, *given, **more):
    _repeated(value, *given, **more)
    return combine(value, *given)


def chunk(value, count, dim=0):
    return value.chunk(count)


def split(value, size, dim=0):
    return value.split(size)


def unbind(value, dim=0):
    return value.unbind(dim)


def max(value, *given, **more):
    return _pair(value, *given)


min = sort = topk = max


def _pair(value, *given):
    return combine(value, *given)


def __getattr__(name):
    return operator("torch." + name)
