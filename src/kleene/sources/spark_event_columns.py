"""What of Spark's event log becomes columns of events: as SQL over the objects of its lines."""

from __future__ import annotations

_METRICS = """
    `Executor Run Time` bigint, `Executor CPU Time` bigint, `Executor Deserialize Time` bigint,
    `JVM GC Time` bigint, `Result Size` bigint, `Peak Execution Memory` bigint,
    `Memory Bytes Spilled` bigint, `Disk Bytes Spilled` bigint,
    `Input Metrics` struct<`Bytes Read`: bigint, `Records Read`: bigint>,
    `Output Metrics` struct<`Bytes Written`: bigint, `Records Written`: bigint>,
    `Shuffle Read Metrics` struct<`Remote Bytes Read`: bigint, `Local Bytes Read`: bigint,
        `Total Records Read`: bigint, `Fetch Wait Time`: bigint>,
    `Shuffle Write Metrics` struct<
        `Shuffle Bytes Written`: bigint, `Shuffle Records Written`: bigint>
"""

LINE = f"""
    Event string, Timestamp bigint, time bigint, `App Name` string,
    `Job ID` bigint, `Stage IDs` array<bigint>, `Submission Time` bigint, `Completion Time` bigint,
    `Job Result` struct<Result: string, Exception: struct<Message: string>>,
    Properties struct<`spark.sql.execution.id`: string, `spark.job.description`: string>,
    `Stage Info` struct<`Stage ID`: bigint, `Stage Attempt ID`: bigint, `Stage Name`: string,
        `Number of Tasks`: bigint, `Submission Time`: bigint, `Completion Time`: bigint,
        `Failure Reason`: string>,
    `Stage ID` bigint, `Stage Attempt ID` bigint,
    `Task Info` struct<`Task ID`: bigint, Index: bigint, Attempt: bigint, `Partition ID`: bigint,
        `Launch Time`: bigint, `Finish Time`: bigint, `Executor ID`: string, Host: string,
        Locality: string, Speculative: boolean>,
    `Task End Reason` struct<Reason: string, Description: string, Message: string,
        `Kill Reason`: string, `Loss Reason`: string>,
    `Task Metrics` struct<{_METRICS}>,
    `Executor ID` string, `Executor Info` struct<Host: string>, `Removed Reason` string,
    executionId bigint, description string, errorMessage string
"""
"""A line of the log, as far as it is read: every kind of event has some of these fields."""

_TASK_END = """CASE `Task End Reason`.Reason
    WHEN 'Success' THEN 'TaskEnd' WHEN 'TaskKilled' THEN 'TaskKilled' ELSE 'TaskFailed' END"""
_STAGE_END = "if(`Stage Info`.`Failure Reason` IS NULL, 'StageCompleted', 'StageFailed')"
_JOB_END = "if(`Job Result`.Result = 'JobSucceeded', 'JobEnd', 'JobFailed')"
_SQL_END = "if(coalesce(errorMessage, '') = '', 'SQLEnd', 'SQLFailed')"

TYPE = f"""CASE substring_index(Event, '.', -1)
    WHEN 'SparkListenerApplicationStart' THEN 'ApplicationStart'
    WHEN 'SparkListenerApplicationEnd' THEN 'ApplicationEnd'
    WHEN 'SparkListenerExecutorAdded' THEN 'ExecutorAdded'
    WHEN 'SparkListenerExecutorRemoved' THEN 'ExecutorRemoved'
    WHEN 'SparkListenerSQLExecutionStart' THEN 'SQLStart'
    WHEN 'SparkListenerSQLExecutionEnd' THEN {_SQL_END}
    WHEN 'SparkListenerJobStart' THEN 'JobStart'
    WHEN 'SparkListenerJobEnd' THEN {_JOB_END}
    WHEN 'SparkListenerStageSubmitted' THEN 'StageSubmitted'
    WHEN 'SparkListenerStageCompleted' THEN {_STAGE_END}
    WHEN 'SparkListenerTaskStart' THEN 'TaskStart'
    WHEN 'SparkListenerTaskEnd' THEN {_TASK_END}
END"""
"""The type of an event; null for what the log tells besides."""

_TIME = """CASE
    WHEN type IN ('TaskEnd', 'TaskFailed', 'TaskKilled') THEN `Task Info`.`Finish Time`
    WHEN type = 'TaskStart' THEN `Task Info`.`Launch Time`
    WHEN type IN ('StageCompleted', 'StageFailed') THEN `Stage Info`.`Completion Time`
    WHEN type = 'StageSubmitted' THEN `Stage Info`.`Submission Time`
    ELSE coalesce(Timestamp, time, `Submission Time`, `Completion Time`)
END"""
_STARTED = """CASE
    WHEN type IN ('TaskEnd', 'TaskFailed', 'TaskKilled') THEN `Task Info`.`Launch Time`
    WHEN type IN ('StageCompleted', 'StageFailed') THEN `Stage Info`.`Submission Time`
END"""
_TEXT = """coalesce(`Task End Reason`.Description, `Task End Reason`.Message,
    `Task End Reason`.`Kill Reason`, `Task End Reason`.`Loss Reason`,
    `Stage Info`.`Failure Reason`, `Job Result`.Exception.Message, `Removed Reason`,
    nullif(errorMessage, ''))"""
# What Python raised is on the last line of its traceback that is not indented; SQLSTATE follows.
_LINES = rf"filter(split({_TEXT}, '\n'), line -> line RLIKE '^\\S')"
_MESSAGE = f"get({_LINES}, if(contains({_TEXT}, 'Traceback ('), size({_LINES}) - 1, 0))"

# Rows follow each other within a block of a file, blocks within a file, files within a log; a block
# has less than 2^27 lines and more than 2^16 bytes.
_PART = (
    r"coalesce(try_cast(regexp_extract(_metadata.file_name, '^events_(\\d+)_', 1) AS bigint), 0)"
)
_POSITION = f"""shiftleft({_PART}, 49)
    + shiftleft(shiftright(_metadata.file_block_start, 16), 27)
    + (monotonically_increasing_id() & 134217727)"""
_NAME = r"^(events_\\d+_)?(.*?)(\\.zstd)?(\\.inprogress|\\.compact)?$"

_WRITTEN = "`Shuffle Write Metrics`"
_READ = "`Shuffle Read Metrics`"

PLACE = {
    "log": f"regexp_extract(_metadata.file_name, '{_NAME}', 2)",
    "position": _POSITION,
}
"""Where a line was found."""

OWN = {
    "time": f"timestamp_millis({_TIME})",
    "started": f"timestamp_millis({_STARTED})",
    "stage": "coalesce(`Stage ID`, `Stage Info`.`Stage ID`)",
    "stage_attempt": "coalesce(`Stage Attempt ID`, `Stage Info`.`Stage Attempt ID`)",
    "partition": "coalesce(`Task Info`.`Partition ID`, `Task Info`.Index)",
    "task": "`Task Info`.`Task ID`",
    "attempt": "`Task Info`.Attempt",
    "speculative": "`Task Info`.Speculative",
    "executor": "coalesce(`Executor ID`, `Task Info`.`Executor ID`)",
    "host": "coalesce(`Task Info`.Host, `Executor Info`.Host)",
    "locality": "`Task Info`.Locality",
    "name": """coalesce(`App Name`, `Stage Info`.`Stage Name`, description,
        if(type = 'JobStart', Properties.`spark.job.description`, NULL))""",
    "tasks": "`Stage Info`.`Number of Tasks`",
    "duration_ms": f"({_TIME}) - ({_STARTED})",
    "run_ms": "`Task Metrics`.`Executor Run Time`",
    "cpu_ms": "`Task Metrics`.`Executor CPU Time` div 1000000",
    "gc_ms": "`Task Metrics`.`JVM GC Time`",
    "deserialize_ms": "`Task Metrics`.`Executor Deserialize Time`",
    "fetch_wait_ms": f"`Task Metrics`.{_READ}.`Fetch Wait Time`",
    "input_bytes": "`Task Metrics`.`Input Metrics`.`Bytes Read`",
    "input_rows": "`Task Metrics`.`Input Metrics`.`Records Read`",
    "output_bytes": "`Task Metrics`.`Output Metrics`.`Bytes Written`",
    "output_rows": "`Task Metrics`.`Output Metrics`.`Records Written`",
    "shuffle_read_bytes": f"`Task Metrics`.{_READ}.`Remote Bytes Read` +"
    f" `Task Metrics`.{_READ}.`Local Bytes Read`",
    "shuffle_read_rows": f"`Task Metrics`.{_READ}.`Total Records Read`",
    "shuffle_write_bytes": f"`Task Metrics`.{_WRITTEN}.`Shuffle Bytes Written`",
    "shuffle_write_rows": f"`Task Metrics`.{_WRITTEN}.`Shuffle Records Written`",
    "memory_spill_bytes": "`Task Metrics`.`Memory Bytes Spilled`",
    "disk_spill_bytes": "`Task Metrics`.`Disk Bytes Spilled`",
    "peak_memory_bytes": "`Task Metrics`.`Peak Execution Memory`",
    "result_bytes": "`Task Metrics`.`Result Size`",
    "reason": "`Task End Reason`.Reason",
    "message": _MESSAGE,
}
"""What a line says of its event, once its type is known."""

JOINED = {
    "job": "`Job ID`",
    "execution": "coalesce(executionId, CAST(Properties.`spark.sql.execution.id` AS bigint))",
}
"""What lines of tasks and stages leave to be found in the line of their job."""
