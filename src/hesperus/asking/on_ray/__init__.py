"""Asking on a Ray cluster: where models answer is elsewhere, all that is decided and kept stays in the process that asks.

    process that asks ── socket ── Ray driver (a process of its own) ── Ray ── workers

``engine`` and ``seats`` are in the process that asks, ``bridge`` starts the driver and speaks with it, ``cluster``, ``pool``
and ``nodes`` are the driver, ``worker`` is what Ray starts on the nodes. The driver is apart because Ray ends the process
that it is in when its cluster is gone.
"""
