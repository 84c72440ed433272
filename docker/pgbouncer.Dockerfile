# PgBouncer of Debian, for machines of compose.scale.yaml.
FROM debian:bookworm-slim
# Debian's stable release serves one version of a package at a time: one that is pinned is soon gone.
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install -y --no-install-recommends gettext-base pgbouncer postgresql-client \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --uid 10002 --no-create-home --shell /usr/sbin/nologin pool
COPY docker/pgbouncer.ini /etc/diskatlas/pgbouncer.ini
COPY docker/pgbouncer.sh /usr/local/bin/diskatlas-pgbouncer
USER 10002:10002
EXPOSE 6432
ENTRYPOINT ["/bin/sh", "/usr/local/bin/diskatlas-pgbouncer"]
HEALTHCHECK --interval=15s --timeout=5s --retries=4 CMD ["pg_isready", "--port=6432", "--host=127.0.0.1"]
