#!/usr/bin/env python3
"""A task of a barrier stage that trains a model together with the others.

Each task has its own part of the data, which are noisy values of y = 3 a - 2 b + 1. In each
step it computes the gradients of some of them; torch.distributed adds those of all tasks by
gloo, and all take the same step. In the end all have the same model, which task 0 prints.
Where the others are, torch reads from the environment: RANK, WORLD_SIZE, MASTER_ADDR and
MASTER_PORT.
"""

import datetime
import fcntl
import os
import signal
import socket
import struct
import sys

import torch
import torch.distributed as distributed

import stoker_barrier

RANK = int(os.environ["RANK"])
ROWS, BATCH, STEPS, RATE = 1000, 50, 200, 0.1
SIOCGIFADDR = 0x8915


def interface_of(host):
    """The network interface that has the address of this host; None: not found."""
    address = socket.inet_aton(socket.gethostbyname(host))
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as channel:
        for _, name in socket.if_nameindex():
            try:
                request = struct.pack("256s", name.encode())
                answer = fcntl.ioctl(channel.fileno(), SIOCGIFADDR, request)
            except OSError:
                continue
            if answer[20:24] == address:
                return name
    return None


def join():
    """Connects with the others, by the addresses by which workers are reached."""
    # Otherwise gloo takes the address that this host's name has, which may be none for others.
    interface = interface_of(stoker_barrier.tasks()[RANK])
    if interface:
        os.environ.setdefault("GLOO_SOCKET_IFNAME", interface)
    distributed.init_process_group("gloo", timeout=datetime.timedelta(seconds=60))


def part_of_data():
    random = torch.Generator().manual_seed(RANK)
    x = torch.randn(ROWS, 2, generator=random)
    noise = 0.01 * torch.randn(ROWS, generator=random)
    return x, 3 * x[:, 0] - 2 * x[:, 1] + 1 + noise


def train(model):
    x, y = part_of_data()
    optimizer = torch.optim.SGD(model.parameters(), lr=RATE)
    for step in range(STEPS):
        # For those who want to see what becomes of a rank that is killed.
        if (os.environ.get("TRAIN_KILLS") == str(RANK) and step == STEPS // 2
                and os.environ["STOKER_ATTEMPT"] == "0"):
            os.kill(os.getpid(), signal.SIGKILL)
        rows = slice(step * BATCH % ROWS, step * BATCH % ROWS + BATCH)
        optimizer.zero_grad()
        torch.nn.functional.mse_loss(model(x[rows]).flatten(), y[rows]).backward()
        for parameter in model.parameters():
            distributed.all_reduce(parameter.grad)
            parameter.grad /= distributed.get_world_size()
        optimizer.step()


def main():
    # A task has one core.
    torch.set_num_threads(1)
    join()
    # Each begins with other weights: those of task 0 count.
    torch.manual_seed(RANK)
    model = torch.nn.Linear(2, 1)
    for parameter in model.parameters():
        distributed.broadcast(parameter.data, 0)
    train(model)
    mine = torch.cat([parameter.data.flatten() for parameter in model.parameters()])
    all_weights = [torch.empty_like(mine) for _ in range(distributed.get_world_size())]
    distributed.all_gather(all_weights, mine)
    if not all(torch.equal(mine, weights) for weights in all_weights):
        print(f"task {RANK} has another model than others", file=sys.stderr)
        return 1
    if RANK == 0:
        a, b, c = mine.tolist()
        print(f"y = {a:.2f} a {b:+.2f} b {c:+.2f}, the same in {len(all_weights)} tasks")
    # gloo may abort a task that is hung up on before it has heard all.
    stoker_barrier.barrier()
    distributed.destroy_process_group()
    return 0


if __name__ == "__main__":
    sys.exit(main())
