"""The choices a program is made of: one row each, the simplest value first. A new one is a row here and a fragment.

The fragment of a value is in `fragments*.py`, under the same two names.
"""

from __future__ import annotations

from collections.abc import Iterator

STORES = "variable attribute item index shared global"

_ROWS = f"""
organisation      main script functions closure trainer trainer_given globals
layout            one_file flat module package package_init star sys_path
config            constants namespace dict dataclass munch yaml instance
container         plain declared dataclass munch
filled            assigned collected updated returned
device            object available string index indexed config_string config_object current function none
storage_device    {STORES} constant
storage_model     {STORES}
storage_optimizer {STORES}
storage_loader    {STORES}
storage_scheduler {STORES}
storage_scaler    {STORES}
storage_average   {STORES}
storage_rank      {STORES}
network           plain dropout base_class submodules buffer
model             class factory registry by_name classmethod sequential
placement         assign statement inline factory self_to arms tuple loop comprehension helper
order             move_first optimizer_first parameters_first scheduler_first
parameters        direct list filter comprehension groups grouped
optimizer         sgd adam factory by_name partial registry subclass keywords of_model
wrapper           none data_parallel device_ids ddp ddp_spawn
wrapping          plain keywords flag counted helper
criterion         functional module moved weighted own
data              tensors own_dataset subset split
loader            direct factory phases inline method late tuple items
sampling          none shuffle generator sampler drop_last workers
batch             tuple dict nested namespace
iterate           enumerate counter next zip cycle while_next progress
move              pair separate cuda helper comprehension map at_use generator device_loader
loop              for_epochs while_epochs steps steps_next hooks module_forward recursion stages
reach             direct bound function wrapper list getattr groups closure
zero              before set_to_none model after by_hand
amp               none autocast_bf16 scaler scaler_new scaler_flag stored
accumulation      none modulo counter divided flag
clip              none norm value imported helper logged of_groups
scheduler         none epoch iteration onecycle plateau by_hand factory
logging           none average every meter list detached returned
evaluation        none each decorated inference best best_loss
save              none state checkpoint every best_only helper
resume            none pretrained on_device storage full
averaging         none deepcopy library tensors class
seed              plain cuda everything random with_rank
guard             rank get_rank helper not_rank environment in_pair early initialised stored less decorator
unwrap            attribute hasattr isinstance getattr
ending            none weights loss evaluated moved_back
"""

DIMENSIONS: dict[str, tuple[str, ...]] = {
    words[0]: tuple(words[1:]) for words in (line.split() for line in _ROWS.strip().splitlines())
}
"""The values of each choice."""

_RULES = """
organisation script globals                  : wrapper none data_parallel device_ids ddp
filled returned                              : organisation main functions closure trainer_given
storage_device storage_model storage_optimizer storage_loader global      : filled assigned collected updated
storage_scheduler storage_scaler storage_average storage_rank global      : filled assigned collected updated
storage_device global                        : organisation main script closure globals
storage_model storage_optimizer global       : organisation main script closure globals
storage_loader storage_scheduler global      : organisation main script closure globals
storage_scaler storage_average global        : organisation main script closure globals
storage_rank global                          : organisation main script closure globals
storage_device storage_model shared : layout flat module package package_init star sys_path
storage_optimizer storage_loader shared : layout flat module package package_init star sys_path
storage_scheduler storage_scaler shared : layout flat module package package_init star sys_path
storage_average storage_rank shared : layout flat module package package_init star sys_path
storage_device constant                      : device object available string index indexed none
storage_device constant                      : wrapper none data_parallel device_ids
order optimizer_first parameters_first scheduler_first : placement assign statement arms tuple loop comprehension helper
order parameters_first                       : optimizer sgd adam factory by_name partial registry subclass keywords
order parameters_first                       : parameters list filter comprehension groups grouped
order scheduler_first                        : scheduler epoch iteration onecycle factory
placement self_to                            : model class factory registry by_name classmethod
placement self_to factory                    : network plain dropout submodules buffer
placement self_to                            : network plain dropout submodules
placement self_to                            : model class
placement self_to                            : resume none
placement tuple loop comprehension           : criterion moved module
model sequential                             : network plain
device none                                  : move cuda
loop module_forward                          : amp none
loop module_forward                          : accumulation none
loop module_forward                          : reach direct bound
loop module_forward                          : scheduler none epoch plateau by_hand
loop module_forward                          : clip none norm value imported helper of_groups
loop module_forward                          : averaging none
loop module_forward                          : zero before set_to_none
loop hooks                                   : organisation main script functions closure trainer globals
loop hooks                                   : iterate enumerate
loop hooks                                   : logging none every meter list
loop hooks                                   : clip none norm value imported helper of_groups
loop hooks                                   : accumulation none modulo divided flag
loop hooks                                   : reach direct function wrapper list getattr groups closure
loop recursion                               : evaluation none each decorated inference
loop recursion                               : organisation functions closure trainer globals
loop steps steps_next                        : iterate enumerate
loop steps steps_next                        : evaluation none each decorated inference
loop steps steps_next                        : scheduler none iteration onecycle
loop steps steps_next                        : save none state checkpoint helper
loop steps steps_next                        : loader direct factory phases method tuple items
iterate next cycle                           : loader direct factory phases method tuple items late
reach closure                                : amp none
reach closure                                : accumulation none
reach closure                                : clip none
reach closure                                : zero before
reach bound wrapper list getattr groups      : amp none autocast_bf16 stored
reach wrapper                                : order move_first optimizer_first parameters_first
zero after by_hand                           : accumulation none modulo counter divided flag
accumulation modulo counter divided flag     : zero after by_hand model
logging returned                             : organisation functions closure trainer trainer_given globals
evaluation best best_loss                    : loop for_epochs while_epochs stages
evaluation none                              : save none state checkpoint every helper
save best_only                               : evaluation best best_loss
save every                                   : loop for_epochs while_epochs recursion stages module_forward hooks
wrapper none data_parallel device_ids        : guard rank
wrapper none data_parallel device_ids        : seed plain cuda everything random
guard early decorator                        : save none state checkpoint every best_only
wrapper ddp ddp_spawn                        : device object string index indexed current
wrapper data_parallel device_ids             : sampling none shuffle sampler drop_last workers
wrapper ddp ddp_spawn                        : sampling none shuffle drop_last workers
wrapper ddp ddp_spawn                        : loader direct factory items tuple
wrapper ddp ddp_spawn                        : loop for_epochs while_epochs stages recursion hooks module_forward
wrapper ddp ddp_spawn                        : resume none pretrained on_device storage
wrapper ddp ddp_spawn                        : averaging none deepcopy tensors class
wrapper ddp                                  : organisation main functions closure trainer trainer_given script globals
wrapper ddp_spawn                            : organisation main functions closure trainer_given
wrapper none                                 : wrapping plain
wrapper none                                 : unwrap attribute
wrapping counted                             : wrapper data_parallel device_ids
wrapping counted flag                        : unwrap hasattr isinstance getattr
averaging library                            : wrapper none
resume full                                  : optimizer sgd factory by_name partial registry keywords of_model
resume full                                  : order move_first
resume full                                  : parameters direct list filter comprehension
resume full                                  : network plain
resume full                                  : model class factory registry by_name classmethod
averaging none                               : storage_average variable
scheduler none by_hand                       : storage_scheduler variable
scheduler plateau                            : evaluation each decorated inference best best_loss
amp none autocast_bf16 stored                : storage_scaler variable
wrapper none data_parallel device_ids        : storage_rank variable
device none                                  : storage_device variable
storage_loader index attribute shared global item : loader direct factory inline late method tuple
"""


def _read_rules() -> Iterator[tuple[str, frozenset[str], str, frozenset[str]]]:
    for line in _RULES.strip().splitlines():
        left, right = (side.split() for side in line.split(":"))
        subjects = [left[0], *(word for word in left[1:] if word.startswith("storage_"))]
        values = frozenset(left[len(subjects) :])
        for subject in subjects:
            assert values <= {*DIMENSIONS[subject]}, line
            assert {*right[1:]} <= {*DIMENSIONS[right[0]]}, line
            yield subject, values, right[0], frozenset(right[1:])


RULES = tuple(_read_rules())
"""(dimension, values, other, allowed): with one of these values, the other dimension has one of those allowed."""
