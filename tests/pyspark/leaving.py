"""Runs a job, waits for a file, runs the job again, and says on which workers."""

import os
import sys
import time

from pyspark.sql import SparkSession

go = sys.argv[1]
spark = SparkSession.builder.appName("leaving").getOrCreate()
sc = spark.sparkContext
sc.setLogLevel("INFO")


def placed(x):
    time.sleep(0.2)
    return os.environ["STOKER_WORKER_ID"], x


def job():
    pairs = sc.parallelize(range(8), 8).map(placed)
    return pairs.groupByKey(2).mapValues(sum).collect()


def show(title, sums):
    print(title, sum(x for _, x in sums), *sorted(worker for worker, _ in sums), flush=True)


show("before:", job())
while not os.path.exists(go):
    time.sleep(0.1)
show("after:", job())
spark.stop()
