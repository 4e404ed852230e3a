"""Uses the output of map tasks whose executors have gone, and says how often maps ran.

    outlive.py GO

Waits for the file GO when they have gone.
"""

import os
import sys
import time

from pyspark.sql import SparkSession

go = sys.argv[1]
spark = SparkSession.builder.appName("outlive").getOrCreate()
sc = spark.sparkContext
maps = sc.accumulator(0)


def executors():
    # The driver counts itself, too.
    return sc._jsc.sc().getExecutorMemoryStatus().size() - 1


def pair(x):
    maps.add(1)
    return x % 5, 1


sums = sc.parallelize(range(200), 4).map(pair).reduceByKey(lambda a, b: a + b, 2)
first = sorted(sums.collect())
print("ready", flush=True)
deadline = time.monotonic() + 120
while executors() > 0 and time.monotonic() < deadline:
    time.sleep(0.1)
print("idle:", executors(), flush=True)
while not os.path.exists(go):
    time.sleep(0.1)
assert sorted(sums.collect()) == first == [(k, 40) for k in range(5)]
print("maps:", maps.value)
spark.stop()
