"""Spark DataFrames in and out. Nothing here is imported before a DataFrame of Spark is met."""
