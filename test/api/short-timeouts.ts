import { createApp } from '../../src/app.ts'
import { createHttpServer, type HttpServer } from '../../src/http/server/listen.ts'
import { serveProbes } from '../../src/http/server/probes.ts'
import { type HttpTimeouts, httpTimeouts } from '../../src/http/server/timeouts.ts'
import type { Deps } from '../../src/platform/deps.ts'
import { listen } from '../support/listen.ts'
import { deadlineMs } from '../support/machine.ts'
import type { Service } from '../support/service.ts'

/** Short enough for a test. `openServer` lengthens them on a busy machine. */
export const shortTimeouts: HttpTimeouts = {
  ...httpTimeouts,
  headersMs: 400,
  requestMs: 1200,
  bodyStallMs: 400,
  responseIdleMs: 300,
  responseGraceMs: 400,
  lingerMs: 1000,
  checkEveryMs: 50,
}

export type Opened = Awaited<ReturnType<typeof openServer>>

export async function openServer(
  service: Service,
  limits = shortTimeouts,
  app = createApp(service.deps),
  maxConnections?: number,
) {
  const short = Object.entries(shortTimeouts).filter(
    ([name, ms]) => limits[name as keyof HttpTimeouts] === ms,
  )
  const stretched = Object.fromEntries(short.map(([name, ms]) => [name, Math.ceil(deadlineMs(ms))]))
  const { server, stop } = createHttpServer(service.deps, app, { ...limits, ...stretched }, maxConnections)
  return { server, stop, ...(await listen(server)) }
}

export const openProbes = async (deps: Deps): Promise<HttpServer> =>
  (await serveProbes({ ...deps, config: { ...deps.config, workerPort: 0 } })) as HttpServer
