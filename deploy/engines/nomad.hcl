# Dispatch one for each job that waits, as from a timer:
#   n=$(curl -sS -H "Authorization: Bearer $EARSHOT_RUNNER_TOKEN" https://audio.example.org/api/runner/queue | jq .queuedJobs)
#   for i in $(seq "$n"); do nomad job dispatch earshot-runner; done
job "earshot-runner" {
  type = "batch"
  parameterized {}

  group "runner" {
    # It ends with 75 when the service gives no answer.
    restart {
      attempts = 3
      interval = "10m"
      delay    = "15s"
      mode     = "fail"
    }

    task "runner" {
      driver       = "docker"
      kill_timeout = "330s"

      config {
        image = "earshot:0.1.0"
        args  = ["runner", "--url", "https://audio.example.org", "--once", "--job-slots", "1", "--data", "/local/earshot"]
      }
      template {
        data        = "EARSHOT_RUNNER_TOKEN={{ with nomadVar \"nomad/jobs/earshot-runner\" }}{{ .token }}{{ end }}"
        destination = "secrets/runner.env"
        env         = true
      }
      resources {
        cores  = 2
        memory = 4096
      }
    }
  }
}
