"""A real Ray cluster of two nodes on this machine's loopback, for tests, whose processes can be killed one by one."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

_QUICK = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",  # loopback alone
    "RAY_health_check_initial_delay_ms": "500",
    "RAY_health_check_period_ms": "500",
    "RAY_health_check_timeout_ms": "10000",
    "RAY_health_check_failure_threshold": "3",
}

_NODES = """
import json, sys
from ray.cluster_utils import Cluster

# Ray starts as many idle workers on a node as it has CPUs, each of which takes a second of one.
head = {"num_cpus": 1, "include_dashboard": False, "object_store_memory": 80 * 2**20}
cluster = Cluster(initialize_head=True, head_node_args=head, shutdown_at_exit=False)
other = cluster.add_node(num_cpus=1, object_store_memory=80 * 2**20)
nodes = [
    {name: [one.process.pid for one in many] for name, many in node.all_processes.items()}
    for node in (cluster.head_node, other)
]
print(json.dumps([cluster.address, cluster.head_node.get_session_dir_path(), *nodes]), flush=True)
sys.stdin.read()
cluster.shutdown()
"""


@dataclass(frozen=True)
class Nodes:
    """A running cluster.

    Attributes:
        address: HOST:PORT.
        session: Folder of Ray's own files and logs.
        head: Kind of process to process ids, on the first node.
        other: The same on the second.
    """

    address: str
    session: Path
    head: dict[str, list[int]]
    other: dict[str, list[int]]

    def workers(self, *nodes: dict[str, list[int]]) -> list[int]:
        """Processes that answer for a model, on some nodes or on all."""
        found = []
        for node in nodes or (self.head, self.other):
            for child in below(node["raylet"][0]):
                with suppress(OSError):
                    if b"Worker" in Path(f"/proc/{child}/cmdline").read_bytes().split(b"\0")[0]:
                        found.append(child)
        return found

    def kill_node(self, node: dict[str, list[int]]) -> None:
        """End every process of a node at once, as a power cut does."""
        first = [pid for pids in node.values() for pid in pids]
        kill(*[one for pid in first for one in (pid, *below(pid))])


def kill(*pids: int) -> None:
    """End processes at once."""
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def below(pid: int) -> list[int]:
    """All processes that a process has started, and those that these have."""
    found = [
        child
        for thread in Path(f"/proc/{pid}/task").glob("*/children")
        for child in map(int, thread.read_text().split())
    ]
    return [*found, *(one for child in found for one in below(child))]


def is_running(pid: int) -> bool:
    """Whether a process has not ended; one that nobody has buried yet has."""
    try:
        return bool(Path(f"/proc/{pid}/cmdline").read_bytes())
    except OSError:
        return False


def listening(pids: list[int]) -> set[str]:
    """Addresses at which processes wait for connections, in hexadecimal as the kernel has them."""
    inodes = set()
    for pid in pids:
        with suppress(OSError):
            links = [str(file.readlink()) for file in Path(f"/proc/{pid}/fd").iterdir()]
            inodes |= {link[8:-1] for link in links if link.startswith("socket:[")}
    rows = [
        row.split() for name in ("tcp", "tcp6") for row in Path(f"/proc/net/{name}").read_text().splitlines()
    ]
    return {row[1].partition(":")[0] for row in rows if row[3] == "0A" and row[9] in inodes}


@contextmanager
def two_nodes() -> Iterator[Nodes]:
    """Two nodes of one CPU each, until the block ends."""
    process = subprocess.Popen(
        [sys.executable, "-c", _NODES],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, **_QUICK},
        text=True,
    )
    assert process.stdout is not None
    address, session, head, other = json.loads(process.stdout.readline())
    nodes = Nodes(address, Path(session), head, other)
    try:
        yield nodes
    finally:
        nodes.kill_node(other)
        nodes.kill_node(head)
        process.kill()
        process.communicate()
