#!/usr/bin/env python3
"""A task of a barrier stage that runs a program of MPI together with the others.

    task.py STEPS PROGRAM

Each task writes its part of the input. When all have, task 0 runs mpirun over the hosts of
all tasks. On other hosts than its own mpirun wants daemons. It does not start them by ssh:
its agent (agent.py) asks this task for them, this task tells the others, and one task on
each host starts the daemon there. So all processes belong to tasks, and end with them. In
the end task 0 prints the result.
"""

import json
import os
import socket
import subprocess
import sys
import threading

import stoker_barrier

RANK = int(os.environ["RANK"])
AGENT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "agent.py")


def write_input(steps, tasks):
    with open(f"input-{RANK}", "w", encoding="ascii") as file:
        file.write(f"{steps * RANK // tasks} {steps * (RANK + 1) // tasks} {steps}\n")


class Launches:
    """What mpirun's agents want started, by host. They wait until it has ended."""

    def __init__(self, hosts):
        self.path = os.path.join(os.path.dirname(os.environ["STOKER_BARRIER_SOCKET"]),
                                 f"launches-{os.getpid()}")
        self.missing = set(hosts)
        self.wanted = {}
        self.all_there = threading.Event()
        self.server = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.server.bind(self.path)
        self.server.listen()
        self.agents = []
        if not hosts:
            self.all_there.set()
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            agent, _ = self.server.accept()
            self.agents.append(agent)
            wish = json.loads(agent.makefile().readline())
            self.wanted[wish["host"]] = wish["command"]
            self.missing.discard(wish["host"])
            if not self.missing:
                self.all_there.set()


def run_mpi(program, hosts):
    slots = {}
    for host in hosts:
        slots[host] = slots.get(host, 0) + 1
    launches = Launches(set(hosts) - {hosts[0]})
    words = ["mpirun", "--allow-run-as-root", "--oversubscribe",
             "--host", ",".join(f"{host}:{count}" for host, count in slots.items()),
             "-n", str(len(hosts)),
             # Hosts are reached by the addresses by which workers are.
             "--mca", "plm_rsh_agent", AGENT, "--mca", "plm_rsh_no_tree_spawn", "1",
             "--mca", "orte_keep_fqdn_hostnames", "1",
             "--mca", "btl", "self,tcp",
             program]
    mpirun = subprocess.Popen(words, env={**os.environ, "MPI_LAUNCHES": launches.path})
    while not launches.all_there.wait(0.05):
        # It may have failed before it wanted anything.
        if mpirun.poll() is not None:
            break
    stoker_barrier.all_gather(json.dumps(launches.wanted))
    return mpirun.wait()


def run_daemon(hosts):
    """Of the first task on its host: what task 0 wants there."""
    wanted = json.loads(stoker_barrier.all_gather("")[0])
    command = wanted.get(hosts[RANK])
    if command is None or hosts.index(hosts[RANK]) != RANK:
        return 0
    return subprocess.call(["sh", "-c", command])


def main():
    steps, program = int(sys.argv[1]), os.path.abspath(sys.argv[2])
    hosts = stoker_barrier.tasks()
    write_input(steps, len(hosts))
    stoker_barrier.barrier()
    status = run_mpi(program, hosts) if RANK == 0 else run_daemon(hosts)
    if status != 0:
        return status if 0 < status < 126 else 1
    stoker_barrier.barrier()
    if RANK == 0:
        with open("output", encoding="ascii") as file:
            print(file.read(), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
