"""Runs a task that starts processes which outlive their parents: escaping.py DIRECTORY

Each attempt writes a file into DIRECTORY: the ids of the executor's JVM, of Python's
processes there and of what the task has started.
"""

import os
import pathlib
import subprocess
import sys
import time

from pyspark.sql import SparkSession

directory = pathlib.Path(sys.argv[1])
spark = SparkSession.builder.appName("escaping").getOrCreate()


def parent_of(pid):
    return int(pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


def escape(x):
    stubborn = "trap '' TERM HUP; while :; do sleep 1; done"
    started = [
        subprocess.Popen(["sleep", "1000"], start_new_session=True),
        subprocess.Popen(["sh", "-c", stubborn]),
    ]
    file = directory / str(os.getpid())
    orphan = file.with_suffix(".orphan")
    subprocess.run(["setsid", "--fork", "sh", "-c", f"echo $$ > '{orphan}'; {stubborn}"])
    while not orphan.exists() or not orphan.read_text().endswith("\n"):
        time.sleep(0.01)
    ids = [parent_of(os.getppid()), os.getppid(), os.getpid(), *(p.pid for p in started)]
    ids.append(int(orphan.read_text()))
    file.with_suffix(".new").write_text(" ".join(map(str, ids)))
    file.with_suffix(".new").rename(file)
    time.sleep(1000)
    return x


spark.sparkContext.parallelize(range(1), 1).map(escape).count()
