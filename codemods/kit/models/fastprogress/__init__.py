"""fastprogress: bars that hand their elements on."""

from meaning import harmless


class progress_bar:
    def __init__(self, gen=None, *given, **more):
        self.gen = gen

    def __iter__(self):
        for element in self.gen:
            yield element

    def __len__(self):
        return len(self.gen)

    def update(self, *given):
        return None

    def write(self, *given, **more):
        harmless("fastprogress.write")(*given)

    update_bar = on_iter_begin = on_iter_end = show = update
    update_graph = write


class master_bar(progress_bar):
    def add_child(self, child):
        return None
