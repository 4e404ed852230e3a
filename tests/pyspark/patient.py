"""Runs a job, waits for a file, and runs another job.

    patient.py STARTED GO

Makes the file STARTED while tasks of the first job run.
"""

import os
import pathlib
import sys
import time

from pyspark.sql import SparkSession

started, go = sys.argv[1:]
spark = SparkSession.builder.appName("patient").getOrCreate()
sc = spark.sparkContext


def slowly(x):
    pathlib.Path(started).touch()
    time.sleep(0.5)
    return x


print("sum:", sc.parallelize(range(16), 16).map(slowly).sum(), flush=True)
while not os.path.exists(go):
    time.sleep(0.1)
pairs = sc.parallelize(range(24), 4).map(lambda x: (x % 2, x))
print("sums:", sorted(pairs.reduceByKey(lambda a, b: a + b).collect()))
spark.stop()
