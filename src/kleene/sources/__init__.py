"""Logs and other data that people have, as DataFrames of events. What is here needs pyspark."""

from kleene.sources.spark_event_log import spark_event_log

__all__ = ["spark_event_log"]
