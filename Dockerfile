# Builds with all packages, runs with the production packages, not as root. The processes write no files, so the root may be
# read-only.
FROM mongo:8.0 AS mongodb

FROM node:24-trixie-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY tsconfig.json ./
COPY schemas schemas
COPY src src
COPY workers workers
COPY clients clients
COPY docs/merchants docs/merchants
COPY docs/site docs/site
COPY images images
COPY test/vectors/webhook-signatures.json test/vectors/
COPY dev dev
COPY cli cli
COPY ops/backup ops/backup
# npm keeps the compiler, because a package names it as an optional peer.
RUN npm run build && npm prune --omit=dev && rm -rf node_modules/typescript node_modules/@typescript \
  && find node_modules \( -name '*.map' -o -name '*.ts' -o -name '*.mts' -o -name '*.cts' -o -iname '*.md' \) ! -iname 'licen[cs]e*' -delete

FROM node:24-trixie-slim
ENV NODE_ENV=production
# For backup, restore and drill, in the version that docker compose runs. MongoDB builds them for a newer glibc than
# bookworm's.
RUN apt-get update && apt-get install -y --no-install-recommends libcurl4t64 libgssapi-krb5-2 && rm -rf /var/lib/apt/lists/*
COPY --from=mongodb /usr/bin/mongod /usr/bin/mongodump /usr/bin/mongorestore /usr/local/bin/
RUN mongod --version && mongodump --version && mongorestore --version
RUN cd /usr/local/bin && printf '#!/bin/sh\nexec node /app/dist/src/admin/main.js "$@"\n' > admin \
  && for each in backup restore drill; do printf '#!/bin/sh\nexec node /app/dist/ops/backup/main.js %s "$@"\n' $each > $each; done \
  && chmod +x admin backup restore drill
# npm and yarn are not needed to run the service, and an attacker could use them.
RUN rm -rf /usr/local/lib/node_modules /usr/local/bin/npm /usr/local/bin/npx /usr/local/bin/corepack /opt/yarn-* /usr/local/bin/yarn*
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
# A number, because Kubernetes cannot verify that a name is not root.
USER 1000:1000
EXPOSE 3000
# Starts `web`; `release` and `worker` use the same image with another command (Procfile). The health check reads the command of process 1
# to find the port. It succeeds for `release`, and for a worker without WORKER_PORT.
HEALTHCHECK --interval=10s --timeout=5s --start-period=20s --retries=3 CMD ["node", "-e", "const { WORKER_PORT, PORT } = process.env; const runs = fs.readFileSync('/proc/1/cmdline', 'utf8'); const port = runs.includes('release.js') ? null : runs.includes('workers/main.js') ? WORKER_PORT : PORT || 3000; if (!port) process.exit(0); fetch(`http://127.0.0.1:${port}/healthz`).then(r => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "dist/src/server.js"]
