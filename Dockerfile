# Builds with everything, runs with only what it needs: Node 24, the production packages, no root. Nothing is written to disk: the root may
# be read-only.
FROM node:24-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY tsconfig.json ./
COPY schemas schemas
COPY src src
COPY workers workers
RUN npm run build && npm prune --omit=dev

FROM node:24-bookworm-slim
ENV NODE_ENV=production
# Neither is needed to run, and both are programs that could be.
RUN rm -rf /usr/local/lib/node_modules /usr/local/bin/npm /usr/local/bin/npx /usr/local/bin/corepack /opt/yarn-* /usr/local/bin/yarn*
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
# By number: Kubernetes cannot tell of a name that it is not root.
USER 1000:1000
EXPOSE 3000
# `web` by default; `release` and `worker` are the same image with another command (Procfile). Each has its health elsewhere or none, so the
# platform says what to ask (docs/deploy.md).
CMD ["node", "dist/src/server.js"]
