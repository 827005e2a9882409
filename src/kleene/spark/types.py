"""Spark's types as Arrow's, and back.

pyspark has converters, in a module that is no public API and in the time zone of the session;
Kleene counts moments in UTC, whatever zone a session shows them in.
"""

from __future__ import annotations

import pyarrow as pa
from pyspark.sql import types as spark

from kleene.errors import NOWHERE, InputError

_UTC = "UTC"

_PLAIN: tuple[tuple[type[spark.DataType], pa.DataType], ...] = (
    (spark.BooleanType, pa.bool_()),
    (spark.ByteType, pa.int8()),
    (spark.ShortType, pa.int16()),
    (spark.IntegerType, pa.int32()),
    (spark.LongType, pa.int64()),
    (spark.FloatType, pa.float32()),
    (spark.DoubleType, pa.float64()),
    (spark.StringType, pa.string()),
    (spark.BinaryType, pa.binary()),
    (spark.DateType, pa.date32()),
    (spark.TimestampType, pa.timestamp("us", _UTC)),
    (spark.TimestampNTZType, pa.timestamp("us")),
    (spark.DayTimeIntervalType, pa.duration("us")),
    (spark.NullType, pa.null()),
)


def arrow_schema(schema: spark.StructType) -> pa.Schema:
    """The schema in Arrow's types, or an error that names the column that has none."""
    names = schema.names
    for name in names:
        if names.count(name) > 1:
            reason = f"the events have two columns called {name}"
            raise InputError(reason, NOWHERE, "rename one of them")
    return pa.schema([_column(field) for field in schema.fields])


def _column(field: spark.StructField) -> pa.Field:
    found = _arrow(field.dataType)
    if found is None:
        raise InputError(
            f"{field.name} is of type {field.dataType.simpleString()}, which events cannot carry",
            NOWHERE,
            "leave the column out, or cast it",
        )
    return pa.field(field.name, found, field.nullable)


def _arrow(kind: spark.DataType) -> pa.DataType | None:
    """The type in Arrow, or None where there is no such.

    What is inside of a value that is null is null too, whatever its field says.
    """
    match kind:
        case spark.DecimalType():
            return pa.decimal128(kind.precision, kind.scale)
        case spark.ArrayType():
            element = _arrow(kind.elementType)
            return element and pa.list_(pa.field("element", element))
        case spark.MapType():
            key, value = _arrow(kind.keyType), _arrow(kind.valueType)
            named = pa.field("value", value) if value else None
            return key and named and pa.map_(pa.field("key", key, nullable=False), named)
        case spark.StructType():
            found = [(field.name, _arrow(field.dataType)) for field in kind.fields]
            fields = [pa.field(name, inner) for name, inner in found if inner]
            return pa.struct(fields) if len(fields) == len(found) else None
        case _:
            return next((found for known, found in _PLAIN if isinstance(kind, known)), None)


def spark_schema(schema: pa.Schema) -> spark.StructType:
    """The schema in Spark's types; whatever comes back may be null."""
    return spark.StructType([spark.StructField(f.name, spark_type(f.type)) for f in schema])


def spark_type(kind: pa.DataType) -> spark.DataType:
    """The type in Spark of what a query returns."""
    if pa.types.is_decimal(kind):
        return spark.DecimalType(kind.precision, kind.scale)
    if pa.types.is_map(kind):
        value = kind.item_field
        return spark.MapType(spark_type(kind.key_type), spark_type(value.type), value.nullable)
    if pa.types.is_list(kind):
        return spark.ArrayType(spark_type(kind.value_type), kind.value_field.nullable)
    if pa.types.is_struct(kind):
        fields = [spark.StructField(f.name, spark_type(f.type), f.nullable) for f in kind]
        return spark.StructType(fields)
    if pa.types.is_timestamp(kind):
        return spark.TimestampNTZType() if kind.tz is None else spark.TimestampType()
    for known, found in _PLAIN:
        if found == kind:
            return known()
    raise InputError(f"Spark has no type for {kind}", NOWHERE, "cast it, as in CAST(… AS string)")


def is_collated(kind: spark.DataType) -> bool:
    """Whether Spark takes strings of the type for equal that differ to the letter."""
    return isinstance(kind, spark.StringType) and kind != spark.StringType()
