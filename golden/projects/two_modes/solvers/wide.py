from solvers.plain import PlainSolver


class WideSolver(PlainSolver):
    width = 32
