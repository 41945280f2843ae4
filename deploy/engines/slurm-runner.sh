#!/bin/sh
# Runs jobs of a service in an allocation of Slurm, until none has come for a minute or its time ends.
#   EARSHOT_URL=https://audio.example.org EARSHOT_RUNNER_TOKEN=svc_rt_... sbatch slurm-runner.sh
# As many at a time as jobs wait, at most 20: sbatch --array=1-20 slurm-runner.sh
#SBATCH --job-name=earshot
#SBATCH --cpus-per-task=2
#SBATCH --mem=4G
#SBATCH --time=12:00:00
#SBATCH --requeue
# Five minutes before the end running jobs are finished or handed back.
#SBATCH --signal=B:TERM@300
#SBATCH --output=earshot-%j.log

data=$(mktemp -d "${TMPDIR:-/tmp}/earshot-XXXXXX")
trap 'kill -TERM "$runner"' TERM
"${EARSHOT:-earshot}" runner --url "$EARSHOT_URL" --idle-exit "${EARSHOT_IDLE:-60}" --job-slots 1 \
  --cores "${SLURM_CPUS_PER_TASK:-1}" --grace-seconds 240 --data "$data" &
runner=$!
wait "$runner"
code=$?
# A signal ends the first wait, not the runner.
while kill -0 "$runner" 2>/dev/null; do wait "$runner"; code=$?; done
rm -rf "$data"
# 75: the service gave no answer. Slurm starts the same job again.
[ "$code" -ne 75 ] || [ "${SLURM_RESTART_COUNT:-0}" -ge 3 ] || scontrol requeue "$SLURM_JOB_ID"
exit "$code"
