#!/bin/sh
# Starts one part of the archive: web, worker, beat, metrics, backup or migrate. Anything else is run as a
# command.
set -eu

role="${1:-web}"
case "$role" in
  web)
    # Requests are logged by the site itself, which cuts the tokens of mails out; gunicorn would write them.
    # Threads: an export streams for longer than the timeout, which must watch the worker and not one answer.
    set -- gunicorn server.config.wsgi:application --config python:server.config.gunicorn \
      --bind 0.0.0.0:8000 --workers "${WEB_WORKERS:-3}" \
      --threads "${WEB_THREADS:-4}" --timeout 60 --graceful-timeout 30 \
      --max-requests 2000 --max-requests-jitter 200
    ;;
  worker)
    # A worker that is told to stop finishes what it has; the sweeper picks up what a killed one left.
    # Whoever waits for an answer comes before what is computed behind it.
    set -- nice -n 15 celery --app server.config.celery worker --loglevel "${LOG_LEVEL:-INFO}" \
      --concurrency "${WORKER_CONCURRENCY:-2}" --hostname "worker@%h" \
      --queues "${WORKER_QUEUES:-ingest,extract,refresh,deliver,export}"
    ;;
  beat)
    set -- celery --app server.config.celery beat --loglevel "${LOG_LEVEL:-INFO}" \
      --schedule /tmp/celerybeat-schedule --pidfile ""
    ;;
  metrics)
    set -- python manage.py metrics
    ;;
  backup)
    set -- python manage.py backup --every 24 --keep "${BACKUP_KEEP:-14}"
    ;;
  migrate)
    # With the owner's account; the archive itself works with one that can't change tables.
    set -- sh -c 'python manage.py migrate --no-input && python manage.py app_role'
    ;;
esac

# Processes of one container count together in this folder; METRICS_BIND says where Prometheus asks for it.
export PROMETHEUS_MULTIPROC_DIR="${PROMETHEUS_MULTIPROC_DIR:-/tmp/metrics}"
rm -rf "$PROMETHEUS_MULTIPROC_DIR"
mkdir -p "$PROMETHEUS_MULTIPROC_DIR"

# The health check asks what this container is.
printf '%s' "$role" > /tmp/diskatlas-role
exec "$@"
