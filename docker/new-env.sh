#!/bin/sh
# Writes docker/.env out of env.example, with secrets of its own: sh docker/new-env.sh [DOMAIN]
# With a domain the site is public under it: Caddy gets its certificates, and all else follows from the name.
set -eu
umask 077
folder=$(dirname "$0")
domain=${1:-}
file=${ENV_FILE:-$folder/.env}

if [ -e "$file" ]; then
  echo "new-env: $file is there, and the database knows its passwords. Edit it, or move it away." >&2
  exit 1
fi
case $domain in
  *[!a-z0-9.-]*)
    echo "new-env: '$domain' is no domain. Give the bare name in lower case, such as archive.example." >&2
    exit 1
    ;;
esac

secret() {
  od -An -N32 -tx1 /dev/urandom | tr -d ' \n'
}

profiles=
[ -z "$domain" ] || profiles=public
# As a whole or not at all.
sed -e "s/^SECRET_KEY=\$/SECRET_KEY=$(secret)/" \
  -e "s/^POSTGRES_PASSWORD=\$/POSTGRES_PASSWORD=$(secret)/" \
  -e "s/^APP_PASSWORD=\$/APP_PASSWORD=$(secret)/" \
  -e "s/^REDIS_PASSWORD=\$/REDIS_PASSWORD=$(secret)/" \
  -e "s/^COMPOSE_PROFILES=\$/COMPOSE_PROFILES=$profiles/" \
  -e "s/^SITE_DOMAIN=\$/SITE_DOMAIN=$domain/" \
  "$folder/env.example" > "$file.part"
mv "$file.part" "$file"
echo "new-env: wrote $file. Keep it, and a copy of it elsewhere: backups are of no use without its secrets."
