"""Recordings of a bucket become episodes, each in a task of its own: airflow dags trigger earshot --conf '{"inputs": ["s3://..."]}'."""

import json
import subprocess
import tempfile

import pendulum
from airflow.exceptions import AirflowException, AirflowFailException
from airflow.sdk import dag, get_current_context, task

AGAIN = 75


@dag(schedule=None, start_date=pendulum.datetime(2026, 1, 1, tz="UTC"), catchup=False)
def earshot():
    @task
    def inputs() -> list[str]:
        return get_current_context()["dag_run"].conf["inputs"]

    @task(retries=5, retry_exponential_backoff=True, max_active_tis_per_dag=3)
    def episode(path: str) -> list[str]:
        job = {"chain": "podcast", "inputs": [path], "output": "s3://bucket/finished/"}
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            json.dump(job, file)
            file.flush()
            run = subprocess.run(["earshot", "exec", file.name], stdout=subprocess.PIPE, text=True)
        last = json.loads(run.stdout.splitlines()[-1]) if run.stdout else {}
        if run.returncode == 0:
            return last["outputs"]
        # What is at fault stays at fault: only 75 is tried again.
        wrong = AirflowException if run.returncode == AGAIN else AirflowFailException
        raise wrong(f"{run.returncode}: {last.get('error', {}).get('message')}")

    episode.expand(path=inputs())


earshot()
