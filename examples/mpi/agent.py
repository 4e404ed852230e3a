#!/usr/bin/env python3
"""What mpirun takes for ssh: `agent.py HOST COMMAND...`.

It tells task 0 what is to be started where, and waits until that has ended.
"""

import json
import os
import socket
import sys


def main():
    words = sys.argv[1:]
    # Options that ssh would have.
    while words and words[0].startswith("-"):
        words.pop(0)
    host, command = words[0], " ".join(words[1:])
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as task:
        task.connect(os.environ["MPI_LAUNCHES"])
        task.sendall(json.dumps({"host": host, "command": command}).encode() + b"\n")
        # Task 0 ends it.
        task.recv(1)


if __name__ == "__main__":
    main()
