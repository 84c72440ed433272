#!/bin/sh
# Starts a streaming replica of PostgreSQL; copies the primary first where the folder is empty. The account
# `replication` of the primary is made once (docs/operator/scaling.md).
set -eu

data="${PGDATA:-/var/lib/postgresql/data}"
if [ ! -s "$data/PG_VERSION" ]; then
  # The slot has the primary keep what this one has not received yet.
  export PGPASSWORD="$REPLICATION_PASSWORD"
  pg_basebackup --pgdata="$data" --wal-method=stream --write-recovery-conf \
    --checkpoint=fast --slot="${REPLICA_SLOT:-replica}" --create-slot \
    --host="$DATABASE_HOST" --port="${DATABASE_PORT:-5432}" --username="${REPLICATION_USER:-replication}"
fi
# A long read here must not be cut off by what the primary cleans up.
exec postgres -D "$data" -c hot_standby=on -c hot_standby_feedback=on -c max_connections=400 "$@"
