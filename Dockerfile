# Heybot in a container: docker build -t heybot . && docker run -it -v heybot:/data heybot

FROM swift:6.3-bookworm AS build
RUN apt-get update && apt-get install -y --no-install-recommends \
        libcurl4-openssl-dev libexpat1-dev libgmp-dev libhiredis-dev libsqlite3-dev && rm -rf /var/lib/apt/lists/*
WORKDIR /src
# The packages first: they change less often than the sources.
COPY Package.swift ./
RUN swift package resolve
COPY . .
RUN bin/heybot --version \
    && install -D -s .build/release/heybot /app/libexec/heybot \
    && install -D bin/heybot /app/bin/heybot && install -m 644 Procfile /app/Procfile

FROM debian:bookworm-slim
RUN apt-get update && apt-get install -y --no-install-recommends \
        ca-certificates libcurl4 libexpat1 libgcc-s1 libgmp10 libhiredis0.14 libsqlite3-0 tzdata \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --system --home-dir /data --create-home heybot
COPY --from=build /app /app
ENV HEYBOT_DATA=/data
VOLUME /data
USER heybot
WORKDIR /app
ENTRYPOINT ["bin/heybot"]
