"""Calls a method of two classes where a query is planned and where it runs."""

from pyspark.sql import SparkSession

spark = SparkSession.builder.appName("jars").getOrCreate()
calls = [f"java_method('{name}', 'of', cast(id as int)) {name}" for name in ("One", "Two")]
rows = spark.range(4, numPartitions=2).selectExpr(*calls).collect()
print("; ".join(f"{row.One} {row.Two}" for row in rows))
spark.stop()
