"""An activity of Temporal that runs one job: workflow.execute_activity(earshot, job, heartbeat_timeout=timedelta(minutes=1), ...)."""

import asyncio
import json
import tempfile

from temporalio import activity
from temporalio.exceptions import ApplicationError

BAD_INPUT, UNAVAILABLE = 65, 69


@activity.defn
async def earshot(job: dict) -> dict:
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(job, file)
        file.flush()
        process = await asyncio.create_subprocess_exec(
            "earshot", "exec", file.name, stdout=asyncio.subprocess.PIPE, limit=2**24
        )
        last: dict = {}
        try:
            async for line in process.stdout:
                last = json.loads(line)
                # Where it is, for people who look; without one, the activity is taken for dead.
                activity.heartbeat(last)
            code = await process.wait()
        finally:
            if process.returncode is None:
                process.terminate()
    if code == 0:
        return last
    error = last.get("error", {})
    raise ApplicationError(
        str(error.get("message", code)), last, type=str(error.get("code")), non_retryable=code in (BAD_INPUT, UNAVAILABLE)
    )
