"""Runs a job of tasks that end when a file is there: held.py FILE TASKS"""

import os
import sys
import time

from pyspark.sql import SparkSession

go = sys.argv[1]
tasks = int(sys.argv[2])
spark = SparkSession.builder.getOrCreate()
sc = spark.sparkContext


def held(x):
    while not os.path.exists(go):
        time.sleep(0.1)
    return x


print("sum:", sc.parallelize(range(tasks), tasks).map(held).sum())
spark.stop()
