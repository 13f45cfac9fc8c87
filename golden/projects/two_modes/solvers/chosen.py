def solver_for(options):
    if options["solver"] == "plain":
        from solvers.plain import PlainSolver as Solver
    else:
        from solvers.wide import WideSolver as Solver
    solver = Solver(options)
    print("a solver of", type(solver).__name__)
    return solver
