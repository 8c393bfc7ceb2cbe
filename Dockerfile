# Heybot in a container: docker build -t heybot . && docker run -it -v heybot:/data heybot

FROM swift:6.3-bookworm AS build
RUN apt-get update \
    && apt-get install -y --no-install-recommends \
        libcurl4-openssl-dev libexpat1-dev libgmp-dev libhiredis-dev libsqlite3-dev libssl-dev \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /src
# The dependencies are built before the sources are copied, so that they stay cached when the sources change.
COPY Package.swift ./
COPY bin/setup.bash bin/
RUN bash -c '. bin/setup.bash && build_packages /src'
COPY . .
RUN bin/heybot --version \
    && install -D -s .build/release/heybot /app/libexec/heybot \
    && install -D bin/heybot /app/bin/heybot && install -m 644 NOTICE /app/NOTICE

FROM debian:bookworm-slim AS heroku
LABEL org.opencontainers.image.title="Heybot" \
    org.opencontainers.image.description="A chat bot in the manner of Hubot: IRC, XMPP, Campfire and the web"
# The libraries that ldd lists; libcurl4, which is loaded with the first request; ca-certificates and tzdata.
RUN apt-get update \
    && apt-get install -y --no-install-recommends \
        ca-certificates libcurl4 libexpat1 libgcc-s1 libgmp10 libhiredis0.14 libsqlite3-0 tzdata \
    && rm -rf /var/lib/apt/lists/* \
    && groupadd --gid 10001 heybot \
    && useradd --uid 10001 --gid heybot --home-dir /data --no-create-home --no-log-init heybot \
    && install -d -m 700 -o heybot -g heybot /data
COPY --from=build /app /app
ENV HEYBOT_DATA=/data
USER 10001:10001
WORKDIR /app

# Heroku uses the stage above: it would pass its command to an entry point as a single argument.
FROM heroku
VOLUME /data
HEALTHCHECK --interval=30s --timeout=15s --start-period=60s CMD ["bin/heybot", "health"]
ENTRYPOINT ["bin/heybot"]
