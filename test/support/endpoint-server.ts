import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { waitFor } from './wait-for.ts'
import { withOpened } from './with.ts'

/** One delivery as it arrived. `body` is the exact text. */
export interface Received {
  at: number
  headers: IncomingHttpHeaders
  rawHeaders: string[]
  body: string
  json: { id: string; event: string; created_at: string; sandbox: boolean; data: Record<string, unknown> }
}

/** A merchant's endpoint on loopback. `respond` decides its answer; it counts from 1. */
export interface EndpointServer {
  url: string
  /** host:port, for WEBHOOK_ALLOWED_HOSTS. */
  host: string
  received: Received[]
  respondWith(respond: (res: ServerResponse, count: number, received: Received) => void): void
  /** The deliveries, once there are at least so many. */
  atLeast(count: number, withinMs?: number): Promise<Received[]>
  close(): Promise<void>
}

export async function startEndpointServer(): Promise<EndpointServer> {
  const received: Received[] = []
  let respond = (res: ServerResponse, _count: number, _received: Received): void => void res.end('ok')
  const receive = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    const body = await text(req)
    const { headers, rawHeaders } = req
    const one: Received = { at: Date.now(), headers, rawHeaders, body, json: JSON.parse(body) }
    received.push(one)
    respond(res, received.length, one)
  }
  const server = createServer((req, res) => void receive(req, res))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url: `http://${host}/hook`,
    host,
    received,
    respondWith(next) {
      respond = next
    },
    atLeast: (count, withinMs = 15_000) =>
      waitFor(`${count} deliveries`, () => received.length >= count && received, withinMs),
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** A server for all tests of a `describe`. */
export const withEndpointServer = (): EndpointServer =>
  withOpened(startEndpointServer, (server) => server.close())

/** A new server for each test of a `describe`. */
export const withEndpointServerPerTest = (): EndpointServer =>
  withOpened(startEndpointServer, (server) => server.close(), 'test')

/** The check an endpoint makes (SPEC 6.3), written apart from the service's own code. */
export function isSignedWith(secret: string, { headers, body }: Received): boolean {
  const signed = `${String(headers['x-service-timestamp'])}.${body}`
  return (
    headers['x-service-signature'] === `sha256=${createHmac('sha256', secret).update(signed).digest('hex')}`
  )
}
