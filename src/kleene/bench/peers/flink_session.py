"""A session of Flink SQL in batch mode, run by the Python that Flink is installed for.

It reads orders from its input, each a JSON array of what to do and a statement.
"""

from __future__ import annotations

import json
import os
import sys


def main() -> None:
    """Serve; what Java prints goes to the error output."""
    from pyflink.table import EnvironmentSettings, TableEnvironment

    replies = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    session = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
    settings = session.get_config()
    settings.set("parallelism.default", sys.argv[1])
    settings.set("table.local-time-zone", "UTC")
    for line in sys.stdin:
        order, statement = json.loads(line)
        reply: dict[str, object]
        try:
            result = session.execute_sql(statement)
            if order == "collect":
                with result.collect() as rows:
                    reply = {"row": list(next(rows))}
            else:
                result.wait()
                reply = {"row": []}
        except Exception as error:  # noqa: BLE001 - told to who asked
            causes = [line for line in str(error).splitlines() if "Caused by" in line]
            reply = {"error": " ".join(causes) or str(error)[:500]}
        replies.write(json.dumps(reply) + "\n")
        replies.flush()


if __name__ == "__main__":
    main()
