#!/bin/sh
# Writes the pool's configuration from the environment, and starts it.
set -eu

folder="${CONFIG_FOLDER:-/tmp}"
export DATABASE_PORT="${DATABASE_PORT:-5432}" DATABASE_NAME="${DATABASE_NAME:-diskatlas}"
export LISTEN_ADDRESS="${LISTEN_ADDRESS:-0.0.0.0}" LISTEN_PORT="${LISTEN_PORT:-6432}"
export POOL_SIZE="${POOL_SIZE:-50}" AUTH_FILE="$folder/userlist.txt"
umask 077
printf '"%s" "%s"\n' "${DATABASE_USER:-diskatlas_app}" "$DATABASE_PASSWORD" > "$AUTH_FILE"
envsubst < "${TEMPLATE:-/etc/diskatlas/pgbouncer.ini}" > "$folder/pgbouncer.ini"
exec pgbouncer "$folder/pgbouncer.ini"
