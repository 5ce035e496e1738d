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
# Whether a run is alive; one that nobody gave a port for it (--live, --metrics) is taken to be.
HEALTHCHECK --interval=30s --timeout=10s --start-period=30s CMD ["python", "-c", "\
import http.client, sys\n\
asked = http.client.HTTPConnection('127.0.0.1', 9100, timeout=8)\n\
try: asked.request('GET', '/healthz')\n\
except ConnectionRefusedError: sys.exit()\n\
sys.exit(asked.getresponse().status != 200)"]
ENTRYPOINT ["crawler"]
# Seeds and all else by CRAWLER_... variables. Started again, it goes on.
CMD ["crawl", "--resume-if-begun", "--live", "127.0.0.1:9100"]
