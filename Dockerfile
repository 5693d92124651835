# syntax=docker/dockerfile:1

# The service as an image: one program, no shell, nothing that may be written but /var/lib/ipo.
#
#   docker build -t ipo .
#   docker run --read-only -v ipo-data:/var/lib/ipo -p 127.0.0.1:8080:8080 -e IPO_PUBLIC_URL=http://localhost:8080 ipo

ARG NODE_VERSION=24.21.0
ARG TRIVY_VERSION=0.69.3

FROM node:${NODE_VERSION}-bookworm-slim AS build
WORKDIR /src
COPY package.json package-lock.json ./
# No script of a package runs; better-sqlite3 and esbuild bring what they need for this platform.
RUN npm ci --ignore-scripts
COPY LICENSE ./
COPY scripts scripts
COPY daemon daemon
COPY bin bin
COPY src src
# `ipo demo trackers` brings the fakes along.
COPY fakes fakes
RUN node scripts/build.ts && npm prune --omit=dev --ignore-scripts && mkdir -p /out/var/lib/ipo

# The scanner: one program, which downloads its database into the volume.
FROM aquasec/trivy:${TRIVY_VERSION} AS trivy

FROM gcr.io/distroless/cc-debian12:nonroot
ARG VERSION=0.0.0
LABEL org.opencontainers.image.title="image-policy-operator" \
      org.opencontainers.image.description="Decides which container images may run, keeps a tamper-evident ledger, and replays drafts of policies against it" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="${VERSION}"
COPY --from=build /usr/local/bin/node /usr/local/bin/node
COPY --from=trivy /usr/local/bin/trivy /usr/local/bin/trivy
COPY --from=build /src/package.json /src/LICENSE /app/
COPY --from=build /src/node_modules /app/node_modules
COPY --from=build /src/bin/ipo.cjs /app/bin/
COPY --from=build /src/daemon/ipod.cjs /app/daemon/
COPY --from=build /src/dist /app/dist
COPY --from=build --chown=65532:65532 /out/var/lib/ipo /var/lib/ipo
USER 65532:65532
WORKDIR /app
# SQLite sorts in TMPDIR what is too large for memory; the rest of the file system may be read-only.
ENV NODE_ENV=production \
    IPO_DATA=/var/lib/ipo \
    IPO_LISTEN=0.0.0.0:8080 \
    TMPDIR=/var/lib/ipo
VOLUME /var/lib/ipo
EXPOSE 8080 8443
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s CMD ["/usr/local/bin/node", "/app/daemon/ipod.cjs", "--health"]
# V8 otherwise takes 100 MB and more under load, for nothing: its young generation, and garbage that it lets grow.
ENTRYPOINT ["/usr/local/bin/node", "--max-semi-space-size=16", "--heap-growing-percent=40", "/app/daemon/ipod.cjs"]
