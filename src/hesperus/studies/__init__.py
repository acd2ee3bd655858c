"""The designs: the only rooms that know the order of stages. Each is a package or module of its own."""

__all__: list[str] = []
