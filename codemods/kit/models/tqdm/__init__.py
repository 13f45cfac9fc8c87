"""tqdm: hands its elements on."""

from meaning import harmless


class tqdm:
    def __init__(self, elements=None, *given, **more):
        self.elements = elements

    def __iter__(self):
        for element in self.elements:
            yield element

    def __len__(self):
        return len(self.elements)

    def __enter__(self):
        return self

    def __exit__(self, *given):
        return None

    def update(self, *given):
        return None

    def set_postfix(self, *given, **more):
        harmless("tqdm.set_postfix")(*given, *more.values())

    set_description = set_postfix_str = write = set_description_str = set_postfix

    def close(self):
        return None


trange = lambda *given, **more: tqdm(range(*given))
tqdm_notebook = tqdm_gui = tqdm
tnrange = trange
