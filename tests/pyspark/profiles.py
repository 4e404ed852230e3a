"""Runs a stage with a resource profile of its own: profiles.py tasks|executors"""

import sys

from pyspark.resource import (
    ExecutorResourceRequests,
    ResourceProfileBuilder,
    TaskResourceRequests,
)
from pyspark.sql import SparkSession

spark = SparkSession.builder.getOrCreate()
builder = ResourceProfileBuilder()
if sys.argv[1] == "tasks":
    builder.require(TaskResourceRequests().cpus(2))
else:
    builder.require(ExecutorResourceRequests().cores(1).memory("600m"))
    builder.require(TaskResourceRequests().cpus(1))
numbers = spark.sparkContext.parallelize(range(8), 2).withResources(builder.build)
print("sum:", numbers.map(lambda x: 2 * x).sum())
spark.stop()
