#!/bin/sh
# Starts a streaming replica of PostgreSQL; copies the primary first where there is no copy. The account
# `replication` of the primary is made once (docs/operator/scaling.md).
set -eu

data="${PGDATA:-/var/lib/postgresql/data}"
slot="${REPLICA_SLOT:-replica}"
if [ ! -d "$data/cluster" ]; then
  export PGHOST="$DATABASE_HOST" PGPORT="${DATABASE_PORT:-5432}"
  export PGUSER="${REPLICATION_USER:-replication}" PGPASSWORD="$REPLICATION_PASSWORD"
  # A copy that was broken off is begun anew. Its slot is there already: it has the primary keep what this one
  # has not received yet.
  rm -rf "$data/incomplete"
  pg_receivewal --create-slot --if-not-exists --slot="$slot"
  pg_basebackup --pgdata="$data/incomplete" --wal-method=stream --write-recovery-conf \
    --checkpoint=fast --slot="$slot"
  mv "$data/incomplete" "$data/cluster"
fi
# A long read here must not be cut off by what the primary cleans up.
exec postgres -D "$data/cluster" -c hot_standby=on -c hot_standby_feedback=on -c max_connections=400 "$@"
