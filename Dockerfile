# syntax=docker/dockerfile:1
# docker build -t paperless-fingerprint .                          the program, its page, both stores
# docker build -t paperless-fingerprint --build-arg SEMANTIC=1 .   with the embedding model
ARG PYTHON=3.13

FROM python:${PYTHON}-slim AS wheel
WORKDIR /src
COPY deploy/build.lock deploy/
RUN pip install --no-cache-dir --require-hashes --only-binary :all: -r deploy/build.lock
COPY pyproject.toml README.md LICENSE ./
COPY es_mappings es_mappings
COPY hooks hooks
COPY src src
RUN hatchling build -t wheel -d /wheels

FROM python:${PYTHON}-slim AS environment
ARG SEMANTIC=""
COPY deploy/requirements.lock deploy/requirements-semantic.lock /locks/
# Every package is a wheel with a known hash; there is no compiler, and no pip in what is shipped.
RUN python -m venv --without-pip /opt/fingerprint \
    && pip --python /opt/fingerprint install --no-cache-dir --require-hashes --only-binary :all: \
    -r "/locks/requirements${SEMANTIC:+-semantic}.lock"
COPY --from=wheel /wheels /wheels
RUN pip --python /opt/fingerprint install --no-cache-dir --no-deps --no-index /wheels/*.whl

FROM python:${PYTHON}-slim
ARG VERSION=""
ARG REVISION=""
LABEL org.opencontainers.image.title="paperless-fingerprint" \
    org.opencontainers.image.description="Finds duplicates, re-scans, versions and parts in a Paperless-ngx library" \
    org.opencontainers.image.source="https://github.com/paperless-fingerprint/paperless-fingerprint" \
    org.opencontainers.image.licenses="GPL-3.0-or-later" \
    org.opencontainers.image.version="${VERSION}" \
    org.opencontainers.image.revision="${REVISION}"
# The settings file, where there is one, is /data/paperless-fingerprint/config.toml.
ENV PAPERLESS_FINGERPRINT_STORE=sqlite:////data/library.db \
    PAPERLESS_FINGERPRINT_SPOOL=/spool \
    PAPERLESS_FINGERPRINT_SERVICE_HOST=0.0.0.0 \
    XDG_CONFIG_HOME=/data \
    XDG_DATA_HOME=/data \
    HOME=/tmp \
    PYTHONDONTWRITEBYTECODE=1
COPY --from=environment /opt/fingerprint /opt/fingerprint
COPY --chmod=755 hooks/post_consume.py /opt/hook/
# What stands on the PATH is the script that gives up root: 'docker exec' goes through it, too.
COPY --chmod=755 deploy/paperless-fingerprint deploy/healthcheck /usr/local/bin/
VOLUME ["/data", "/spool"]
EXPOSE 8760
HEALTHCHECK --interval=30s --timeout=10s --start-period=60s --retries=3 CMD ["healthcheck"]
ENTRYPOINT ["paperless-fingerprint"]
CMD ["serve"]
