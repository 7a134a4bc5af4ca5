import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { listen } from './listen.ts'

/** Notices a shutdown before the listener is closed, 2 s after SIGTERM. */
const checkEveryMs = 100
export type Balancer = Awaited<ReturnType<typeof startBalancer>>
type Backend = { origin: string; agent: Agent; isReady: boolean; passed: number }

export async function startBalancer() {
  const backends: Backend[] = []
  const find = (origin: string) => backends.find((backend) => backend.origin === origin)
  let count = 0
  const pass = (req: IncomingMessage, res: ServerResponse): void => {
    const ready = backends.filter(({ isReady }) => isReady)
    count += 1
    const backend = ready[count % ready.length]
    if (backend === undefined) return void res.writeHead(503).end()
    backend.passed += 1
    const { method = 'GET', headers, url = '/' } = req
    const onward = request(backend.origin + url, { method, headers, agent: backend.agent }, (response) => {
      const { connection: _, ...headersToPass } = response.headers
      res.writeHead(response.statusCode ?? 502, headersToPass)
      response.on('error', () => res.destroy())
      response.pipe(res)
    })
    onward.on('error', () => (res.headersSent ? res.destroy() : res.writeHead(502).end()))
    req.pipe(onward)
  }
  // There's no timeout, so only a backend can close a connection.
  const { origin: ownOrigin, close } = await listen(createServer({ keepAliveTimeout: 0 }, pass))
  const checks = setInterval(() => {
    for (const backend of backends) void checkReadiness(backend)
  }, checkEveryMs)
  return {
    origin: ownOrigin,
    add(origin: string): void {
      backends.push({ origin, agent: new Agent({ keepAlive: true }), isReady: false, passed: 0 })
    },
    passedTo: (origin: string): number => find(origin)?.passed ?? 0,
    isServing: (origin: string): boolean => find(origin)?.isReady ?? false,
    close(): void {
      clearInterval(checks)
      for (const { agent } of backends) agent.destroy()
      void close()
    },
  }
}

async function checkReadiness(backend: Backend): Promise<void> {
  const response = await fetch(`${backend.origin}/readyz`).catch(() => null)
  await response?.body?.cancel()
  backend.isReady = response?.status === 200
}
