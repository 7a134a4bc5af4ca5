import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { eventIdOf } from '../../docs/clients/payments.ts'
import { type Check, checkSignature } from './check-signature.ts'
import type { WebhookEvent } from './webhook-event.ts'

/** A request to the merchant, and its result. */
export interface Arrival {
  at: Date
  headers: IncomingHttpHeaders
  /** Names and values alternate, as they were received. */
  rawHeaders: string[]
  body: Buffer
  check: Check
  /** Null unless the signature is genuine. */
  event: WebhookEvent | null
  eventId: string
  handledBefore: boolean
  respondedWith: 200 | 401 | 500
}

export type EndpointServer = Awaited<ReturnType<typeof startEndpointServer>>

/** The endpoint server of a merchant. It accepts only signed requests, and handles each event once. */
export async function startEndpointServer() {
  const arrivals: Arrival[] = []
  const handled = new Set<string>()
  let secret = ''
  let failing = ''
  let listener = (_arrival: Arrival): void => {}

  async function receive(request: IncomingMessage): Promise<Arrival> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks)
    const { headers, rawHeaders } = request
    const at = new Date()
    const check = checkSignature(secret, headers, body, at)
    const event = check.genuine ? (JSON.parse(body.toString()) as WebhookEvent) : null
    const eventId = event === null ? '' : eventIdOf(event)
    const handledBefore = event !== null && handled.has(eventId)
    return {
      at,
      headers,
      rawHeaders,
      body,
      check,
      event,
      eventId,
      handledBefore,
      respondedWith: handle(event, eventId),
    }
  }

  function handle(event: WebhookEvent | null, eventId: string): Arrival['respondedWith'] {
    if (event === null) return 401
    if (event.event === failing && !handled.has(eventId)) {
      failing = ''
      return 500
    }
    handled.add(eventId) // A merchant would ship the goods here.
    return 200
  }

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const arrival = await receive(request)
      response.writeHead(arrival.respondedWith).end()
      arrivals.push(arrival)
      listener(arrival)
    } catch {
      request.destroy() // The request broke off, or its body is no JSON.
    }
  }

  const server = createServer((request, response) => void respond(request, response))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`

  return {
    host,
    url: `http://${host}/webhooks`,
    arrivals: arrivals as readonly Arrival[],
    /** Sets the secret of the endpoint. Without it, no signature is genuine. */
    useSecret(endpointSecret: string) {
      secret = endpointSecret
    },
    /** Responds with 500 to the next new delivery of this event. */
    failNext(event: string) {
      failing = event
    },
    /** Calls `next` for every arrival from now on. */
    listen(next: (arrival: Arrival) => void) {
      listener = next
    },
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}
