import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Check, checkSignature } from './check-signature.ts'
import type { WebhookEvent } from './webhook-event.ts'

/** One request to the merchant, and what the merchant made of it. */
export interface Arrival {
  at: Date
  headers: IncomingHttpHeaders
  /** Name and value by turns, as they were written. */
  rawHeaders: string[]
  body: Buffer
  check: Check
  /** Null unless the signature is genuine. */
  event: WebhookEvent | null
  handledBefore: boolean
  answered: 200 | 401 | 500
}

export type Receiver = Awaited<ReturnType<typeof startReceiver>>

/** The merchant's side, as a merchant would write it: trust only what is signed, and handle each delivery id once. */
export async function startReceiver() {
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
    const handledBefore = event !== null && handled.has(event.id)
    return { at, headers, rawHeaders, body, check, event, handledBefore, answered: answerTo(event) }
  }

  function answerTo(event: WebhookEvent | null): Arrival['answered'] {
    if (event === null) return 401
    if (event.event === failing && !handled.has(event.id)) {
      failing = ''
      return 500
    }
    handled.add(event.id) // here a merchant would ship the goods
    return 200
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const arrival = await receive(request)
      response.writeHead(arrival.answered).end()
      arrivals.push(arrival)
      listener(arrival)
    } catch {
      request.destroy() // it broke off, or is signed and no JSON
    }
  }

  const server = createServer((request, response) => void answer(request, response))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`

  return {
    host,
    url: `http://${host}/webhooks`,
    arrivals: arrivals as readonly Arrival[],
    /** Without the endpoint's secret nothing is genuine. */
    useSecret(endpointSecret: string) {
      secret = endpointSecret
    },
    /** Answers 500 to the next delivery of this event that is new. */
    failNext(event: string) {
      failing = event
    },
    /** Hears of every arrival from now on. */
    listen(next: (arrival: Arrival) => void) {
      listener = next
    },
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}
