"""Prints how many executors there are before a job, after it, and once idle."""

import time

from pyspark.sql import SparkSession

spark = SparkSession.builder.appName("dynamic").getOrCreate()
sc = spark.sparkContext


def executors():
    # The driver counts itself, too.
    return sc._jsc.sc().getExecutorMemoryStatus().size() - 1


def job():
    pairs = sc.parallelize(range(200), 8).map(lambda x: (x % 5, 1))
    return sorted(pairs.reduceByKey(lambda a, b: a + b, 2).collect())


print("before:", executors())
assert job() == [(k, 40) for k in range(5)]
print("after:", executors())
deadline = time.monotonic() + 120
while executors() > 0 and time.monotonic() < deadline:
    time.sleep(0.1)
print("idle:", executors())
assert job() == [(k, 40) for k in range(5)]
print("again:", executors())
spark.stop()
