"""Adds up what the customers of each country have bought.

    spark-submit --master spark://127.0.0.1:7077 sales.py ORDERS CUSTOMERS [RESULT]

ORDERS and CUSTOMERS are CSV files, as those beside this program. It prints a line for
each country, the largest turnover first. With RESULT, a directory that must not exist
yet, it also writes the lines there, as a CSV file.
"""

import os
import sys

from pyspark.sql import SparkSession
from pyspark.sql import functions as f


def read(spark, path, schema):
    return spark.read.csv(path, schema=schema, header=True, mode="FAILFAST")


def main(orders_path, customers_path, result_path=None):
    spark = (
        SparkSession.builder.appName("sales")
        # The tables are small. A join that sends one of them to all would hide that
        # executors fetch from each other.
        .config("spark.sql.autoBroadcastJoinThreshold", -1)
        .config("spark.sql.adaptive.enabled", "false")
        .config("spark.sql.shuffle.partitions", 4)
        .getOrCreate()
    )
    orders = read(spark, orders_path, "customer STRING, pieces INT, price DOUBLE")
    customers = read(spark, customers_path, "customer STRING, country STRING")
    turnover = (
        orders.join(customers, "customer")
        .groupBy("country")
        .agg(
            f.count("*").alias("orders"),
            f.round(f.sum(f.col("pieces") * f.col("price")), 2).alias("turnover"),
        )
        .orderBy(f.desc("turnover"))
    )
    if result_path:
        turnover.coalesce(1).write.csv(result_path, header=True)

    # The same once more, by functions in Python that executors run.
    country_of = customers.rdd.map(lambda row: (row.customer, row.country))
    value_of = orders.rdd.map(lambda row: (row.customer, row.pieces * row.price))
    again = (
        value_of.join(country_of, 4)
        .map(lambda pair: (pair[1][1], pair[1][0]))
        .reduceByKey(lambda a, b: a + b, 4)
        .collectAsMap()
    )
    for row in turnover.collect():
        assert abs(again[row.country] - row.turnover) < 0.01, row
        print(f"{row.country}: {row.turnover:.2f} in {row.orders} orders")
    spark.stop()


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    main(*map(os.path.abspath, sys.argv[1:]))
