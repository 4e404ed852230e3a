"""Prints which GPUs the tasks of a job have."""

from pyspark import TaskContext
from pyspark.sql import SparkSession

spark = SparkSession.builder.appName("resources").getOrCreate()
sc = spark.sparkContext


def gpus(_):
    return TaskContext.get().resources()["gpu"].addresses


print("tasks:", sorted(set(sc.parallelize(range(8), 8).flatMap(gpus).collect())))
spark.stop()
