"""Writes a table to a relative path, and says how many rows it has: writing.py STARTED GO

The tasks make the file STARTED. All but the first two wait for the file GO.
"""

import os
import pathlib
import sys
import time

from pyspark.sql import SparkSession

started, go = sys.argv[1:]
spark = SparkSession.builder.appName("writing").getOrCreate()


def rows(index, elements):
    pathlib.Path(started).touch()
    while index > 1 and not os.path.exists(go):
        time.sleep(0.1)
    return ((index, x) for x in elements)


numbers = spark.sparkContext.parallelize(range(2000), 20).mapPartitionsWithIndex(rows)
numbers.toDF(["part", "number"]).write.parquet("table")
table = spark.read.parquet("table")
print("rows:", table.count(), "numbers:", table.select("number").distinct().count())
spark.stop()
