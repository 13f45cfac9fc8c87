def _mp_fn(index, flags=None, *, verbose=False):
    print(index, flags, verbose)
