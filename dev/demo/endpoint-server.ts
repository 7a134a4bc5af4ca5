import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { verifyWebhook } from '../../clients/typescript/payments.ts'

/** The fields of SPEC 6.2's envelope that the demo uses. Amounts are in centimes. */
export interface WebhookEvent {
  id: string
  eventId: string
  event: string
  sandbox: boolean
  data: {
    reference_number: string
    amount: number
    status: string
    paid_at: string | null
    payer_phone: string | null
    commission: { provider_ttc: number; payer_ttc: number; total_revenue: number }
    failure?: { code: string; retryable: boolean }
    refund?: { amount: number }
  }
}

export interface Arrival {
  at: Date
  headers: IncomingHttpHeaders
  /** Names and values alternate, as they were received. */
  rawHeaders: string[]
  body: Buffer
  age: number
  event: WebhookEvent | string
  handledBefore: boolean
  respondedWith: 200 | 401 | 500
}

export type Genuine = Arrival & { event: WebhookEvent }
export const isGenuine = (arrival: Arrival): arrival is Genuine => typeof arrival.event !== 'string'

/** Checks a webhook as a merchant does (SPEC 6.3). Returns the reason if it isn't genuine. */
export const verify = (webhook: Parameters<typeof verifyWebhook>[0]): Promise<WebhookEvent | string> =>
  verifyWebhook(webhook).then(
    (event) => event as unknown as WebhookEvent,
    (error: Error) => error.message,
  )

export type EndpointServer = Awaited<ReturnType<typeof startEndpointServer>>

/** Accepts only signed requests, and handles each event once. */
export async function startEndpointServer() {
  const arrivals: Arrival[] = []
  const handled = new Set<string>()
  let secret = 'none'
  let failing = ''
  let listener = (_arrival: Arrival): void => {}

  function handle(event: WebhookEvent | string): Arrival['respondedWith'] {
    if (typeof event === 'string') return 401
    if (event.event === failing && !handled.has(event.eventId)) {
      failing = ''
      return 500
    }
    handled.add(event.eventId) // A merchant would ship the goods here.
    return 200
  }

  async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await buffer(request)
    const { headers, rawHeaders } = request
    const at = new Date()
    const age = Math.floor(at.getTime() / 1000) - Number(headers['x-service-timestamp'])
    const event = await verify({ body, headers, secret, now: at })
    const handledBefore = typeof event !== 'string' && handled.has(event.eventId)
    const arrival = { at, headers, rawHeaders, body, age, event, handledBefore, respondedWith: handle(event) }
    response.writeHead(arrival.respondedWith).end()
    arrivals.push(arrival)
    listener(arrival)
  }

  const server = createServer((req, res) => void receive(req, res).catch(() => req.destroy()))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`

  return {
    host,
    url: `http://${host}/webhooks`,
    arrivals: arrivals as readonly Arrival[],
    useSecret(endpointSecret: string) {
      secret = endpointSecret
    },
    failNext(event: string) {
      failing = event
    },
    listen(next: (arrival: Arrival) => void) {
      listener = next
    },
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}
