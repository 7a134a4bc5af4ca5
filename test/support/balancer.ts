import { once } from 'node:events'
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** How often the balancer checks: often enough to notice a shutdown before the listener is closed, 2 s after SIGTERM. */
const lookEveryMs = 100

/**
 * A load balancer as platforms have one: each request goes in turn to one of the backends that said on /readyz that they serve, over
 * connections that are kept. It repeats nothing: what a backend cuts or refuses its caller hears as 502.
 */
export interface Balancer {
  /** http://127.0.0.1:port */
  origin: string
  add(backend: string): void
  /** How many requests it has passed on to a backend. */
  passedTo(backend: string): number
  isServing(backend: string): boolean
  close(): void
}

interface Backend {
  origin: string
  agent: Agent
  isReady: boolean
  passed: number
}

export async function startBalancer(): Promise<Balancer> {
  const backends: Backend[] = []
  const find = (origin: string) => backends.find((backend) => backend.origin === origin)
  let turn = 0
  const pass = (req: IncomingMessage, res: ServerResponse): void => {
    const ready = backends.filter(({ isReady }) => isReady)
    turn += 1
    const backend = ready[turn % ready.length]
    if (backend === undefined) return void res.writeHead(503).end()
    backend.passed += 1
    const { method = 'GET', headers, url = '/' } = req
    const onward = request(backend.origin + url, { method, headers, agent: backend.agent }, (answer) => {
      const { connection: _, ...kept } = answer.headers
      res.writeHead(answer.statusCode ?? 502, kept)
      answer.on('error', () => res.destroy())
      answer.pipe(res)
    })
    onward.on('error', () => (res.headersSent ? res.destroy() : res.writeHead(502).end()))
    req.pipe(onward)
  }
  // Never closed by the balancer itself: a caller whose request met that would count it against a backend.
  const server = createServer({ keepAliveTimeout: 0 }, pass)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const looking = setInterval(() => {
    for (const backend of backends) void look(backend)
  }, lookEveryMs)
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    add(origin) {
      backends.push({ origin, agent: new Agent({ keepAlive: true }), isReady: false, passed: 0 })
    },
    passedTo: (origin) => find(origin)?.passed ?? 0,
    isServing: (origin) => find(origin)?.isReady ?? false,
    close() {
      clearInterval(looking)
      for (const { agent } of backends) agent.destroy()
      server.closeAllConnections()
      server.close()
    },
  }
}

async function look(backend: Backend): Promise<void> {
  const answer = await fetch(`${backend.origin}/readyz`).catch(() => null)
  await answer?.body?.cancel()
  backend.isReady = answer?.status === 200
}
