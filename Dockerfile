# The crawler as a container (docs/dependencies.md#container). Extras beside `fast`, as in
# pyproject.toml: --build-arg EXTRAS=metrics,archives
ARG PYTHON=3.13

FROM python:${PYTHON}-slim AS build
RUN apt-get update \
    && apt-get install --yes --no-install-recommends gcc libc6-dev \
    && rm -rf /var/lib/apt/lists/*
RUN python -m venv /opt/crawler
ENV PATH=/opt/crawler/bin:$PATH
WORKDIR /src
# What is locked first: it is built again only where a lock file has changed.
COPY requirements/build.txt requirements/run.txt requirements/
RUN pip install --no-cache-dir --require-hashes --no-deps --requirement requirements/build.txt \
    && pip install --no-cache-dir --require-hashes --no-deps --no-build-isolation \
        --requirement requirements/run.txt
COPY LICENSE MANIFEST.in README.md pyproject.toml ./
COPY crawler crawler
COPY inline_crawler inline_crawler
ARG EXTRAS=""
RUN pip install --no-cache-dir --no-build-isolation ".${EXTRAS:+[$EXTRAS]}"

FROM python:${PYTHON}-slim
RUN useradd --create-home --uid 10001 crawler \
    && install --directory --owner crawler --group crawler /data
COPY --from=build /opt/crawler /opt/crawler
ENV PATH=/opt/crawler/bin:$PATH
USER crawler
WORKDIR /data
VOLUME /data
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=10s CMD ["crawler", "--version"]
ENTRYPOINT ["crawler"]
CMD ["--help"]
