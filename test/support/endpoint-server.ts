import { createHmac } from 'node:crypto'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { listen } from './listen.ts'
import { waitFor } from './wait-for.ts'
import { withOpened } from './with.ts'

export interface Received {
  at: number
  headers: IncomingHttpHeaders
  rawHeaders: string[]
  body: string
  json: { id: string; event: string; created_at: string; sandbox: boolean; data: Record<string, unknown> }
}

export type EndpointServer = Awaited<ReturnType<typeof startEndpointServer>>

export async function startEndpointServer() {
  const received: Received[] = []
  type Respond = (res: ServerResponse, count: number, received: Received) => void
  let respond: Respond = (res) => void res.end('ok')
  const receive = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    const body = await text(req)
    const { headers, rawHeaders } = req
    const one: Received = { at: Date.now(), headers, rawHeaders, body, json: JSON.parse(body) }
    received.push(one)
    respond(res, received.length, one)
  }
  // Never closes a connection that the service is about to use again, however slow the machine is.
  const server = createServer({ keepAliveTimeout: 60_000 }, (req, res) => void receive(req, res))
  const { host, origin, close } = await listen(server)
  return {
    url: `${origin}/hook`,
    host,
    received,
    respondWith: (next: Respond) => void (respond = next),
    atLeast: (count: number, withinMs = 15_000): Promise<Received[]> =>
      waitFor(`${count} deliveries`, () => received.length >= count && received, withinMs),
    close,
  }
}

export const withEndpointServer = () => withOpened(startEndpointServer, (server) => server.close())
export const withEndpointServerPerTest = (): EndpointServer =>
  withOpened(startEndpointServer, (server) => server.close(), 'test')

/** An endpoint's check (SPEC 6.3), independent of the service's own code. */
export function isSignedWith(secret: string, { headers, body }: Received): boolean {
  const hmac = createHmac('sha256', secret).update(`${String(headers['x-service-timestamp'])}.${body}`)
  return headers['x-service-signature'] === `sha256=${hmac.digest('hex')}`
}
