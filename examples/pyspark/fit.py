"""Fits a line to points that no task has all of, in a barrier stage.

    spark-submit --master spark://127.0.0.1:7077 fit.py [TASKS]

Each of the tasks (2, if nothing is said) adds up what it needs of its own points, and
hears the sums of the others. So all of them find the same line.
"""

import json
import random
import sys

from pyspark import BarrierTaskContext
from pyspark.sql import SparkSession

POINTS = 100_000


def fit(indices):
    """Runs in each task, at the same time as in all others."""
    context = BarrierTaskContext.get()
    noise = random.Random(context.partitionId())
    n = x_sum = y_sum = xx_sum = xy_sum = 0.0
    for index in indices:
        x = index / POINTS
        y = 3 * x + 1 + noise.gauss(0, 0.01)
        n += 1
        x_sum += x
        y_sum += y
        xx_sum += x * x
        xy_sum += x * y

    sums = json.dumps([n, x_sum, y_sum, xx_sum, xy_sum])
    parts = [json.loads(part) for part in context.allGather(sums)]
    n, x_sum, y_sum, xx_sum, xy_sum = map(sum, zip(*parts))
    slope = (n * xy_sum - x_sum * y_sum) / (n * xx_sum - x_sum * x_sum)
    yield f"y = {slope:.2f} x + {(y_sum - slope * x_sum) / n:.2f}"


def main(tasks):
    spark = SparkSession.builder.appName("fit").getOrCreate()
    points = spark.sparkContext.parallelize(range(POINTS), tasks)
    lines = points.barrier().mapPartitions(fit).collect()
    spark.stop()
    if len(set(lines)) != 1:
        sys.exit(f"the tasks do not agree: {lines}")
    print(f"{lines[0]}, the same in {len(lines)} tasks")


if __name__ == "__main__":
    if len(sys.argv) > 2 or not all(word.isdigit() and int(word) for word in sys.argv[1:]):
        sys.exit(__doc__)
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 2)
