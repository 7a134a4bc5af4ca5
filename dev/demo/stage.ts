import { randomUUID } from 'node:crypto'
import type { EventName } from '../../schemas/events.ts'
import { type Call, callApi } from './call-api.ts'
import { type Arrival, type EndpointServer, type Genuine, isGenuine, verify } from './endpoint-server.ts'
import type { Service } from './processes.ts'
import { cut, faint, gap, green, note, red, seen, show } from './screen.ts'
import { must, waitFor } from './wait-for.ts'

export interface Stage {
  service: Service
  endpointServer: EndpointServer
  businessId: string
  key: string
}

/** Every sandbox has this wallet (docs/merchants/testing.md). It always pays. */
export const demoWallet = { phone: '22000001', pin: '1234', masked: '22 ** ** 01' } as const

export const get = ({ service, key }: Stage, path: string): Call => ({
  origin: service.origin,
  method: 'GET',
  path,
  headers: { Authorization: `Bearer ${key}` },
})

/** The idempotency key is new. A retry of the same call would reuse it. */
export const post = (
  { service, key }: Pick<Stage, 'service' | 'key'>,
  path: string,
  body?: object | string,
  type = 'application/json',
): Call => ({
  origin: service.origin,
  method: 'POST',
  path,
  headers: {
    Authorization: `Bearer ${key}`,
    'X-Idempotency-Key': randomUUID(),
    ...(body === undefined ? {} : { 'Content-Type': type }),
  },
  ...(body === undefined ? {} : { body }),
})

export interface CreatedIntent {
  reference: string
  code: string
  payUrl: string
}

interface Order {
  /** In centimes. Left out if the customer chooses the amount. */
  amount?: number
  amountType?: 'OPEN'
  label: string
  metadata: Record<string, string>
}

export async function createIntent(stage: Stage, order: Order, fields?: string[]): Promise<CreatedIntent> {
  const intent = await callApi(201, post(stage, '/dev/intents', order), fields)
  const { referenceNumber, amount, status, sandbox, code, payUrl } = intent
  must(status === 'PENDING' && sandbox === true, 'it is a PENDING test intent')
  must(amount === (order.amount ?? null), 'it has the requested amount, or none yet')
  must(/^\d{6}$/.test(String(code)), 'its payment code has 6 digits')
  return { reference: String(referenceNumber), code: String(code), payUrl: String(payUrl) }
}

export const createIntentBriefly = (stage: Stage, order: Order): Promise<CreatedIntent> =>
  createIntent(stage, order, ['referenceNumber', 'code', 'payUrl', 'status'])

interface Expected {
  event: EventName
  reference: string
  status: 'PENDING' | 'PAID' | 'REFUNDED' | 'CANCELLED' | 'PLACED'
  /** What the merchant is expected to respond. By default 200. */
  respondedWith?: 200 | 500
}

/** Waits for a webhook after the first `after` arrivals. Throws if one does not match SPEC 6.2, or is not genuine. */
export async function nextWebhook(
  { service, endpointServer }: Stage,
  { event: name, reference, status, respondedWith = 200 }: Expected,
  after = 0,
): Promise<Genuine> {
  const what = `the webhook ${name} of ${reference} (the worker's log is ${service.worker.log})`
  const found = await waitFor(what, async () => {
    await service.mustRun()
    const late = endpointServer.arrivals.slice(after)
    for (const { event } of late)
      if (typeof event === 'string') throw new Error(`A webhook was refused: ${event}`)
    const own = late.filter(isGenuine).filter(({ event }) => event.data.reference_number === reference)
    return own.find(({ event }) => event.event === name)
  })
  const { headers, event, handledBefore } = found
  must(headers['content-type'] === 'application/json', `the Content-Type of ${name} is application/json`)
  must(headers['x-service-event'] === name, `the header X-Service-Event says ${name}`)
  must(event.sandbox, `${name} says that it is about test data`)
  must(event.data.status === status, `${name} has status ${status}`)
  must(!handledBefore, `the id of ${name} is new`)
  must(found.respondedWith === respondedWith, `the merchant responded with ${respondedWith} to ${name}`)
  return found
}

export async function seeWebhook(stage: Stage, expected: Expected): Promise<Genuine> {
  const arrival = await nextWebhook(stage, expected)
  gap()
  noteWebhook(arrival)
  return arrival
}

/** Shows a webhook as it arrived, and how a merchant checks it. */
export async function showWebhook(arrival: Genuine, secret: string): Promise<void> {
  const { event, body, headers, rawHeaders, at } = arrival
  const lines = Array.from({ length: rawHeaders.length / 2 }, (_, index) =>
    rawHeaders.slice(index * 2, index * 2 + 2).join(': '),
  )
  const own = lines.filter((line) => /^(content-type|x-|webhook-)/i.test(line))
  show(['POST /webhooks', ...own, '', ...cut(body.toString())])
  gap()
  const timestamp = String(headers['x-service-timestamp'])
  seen(`signature matches: HMAC-SHA256 of ${timestamp}.{…} under the endpoint's secret`)
  const forged = Buffer.from(body.toString().replace(`"amount":${event.data.amount}`, '"amount":1'))
  must(!forged.equals(body), 'the body names the amount')
  const refused = await verify({ body: forged, headers, secret, now: at })
  must(typeof refused === 'string', 'a changed amount is noticed')
  seen('the same check with a changed amount: refused')
  seen(`timestamp is ${arrival.age} s old; up to 300 s are accepted, so an old webhook cannot be replayed`)
  seen(`new event ${event.eventId}: responded with ${arrival.respondedWith}`)
}

export function noteWebhook({ at, age, event, handledBefore, respondedWith }: Arrival): void {
  const time = at.toISOString().slice(11, 19)
  if (typeof event === 'string') {
    note(`${time}  ${red('refused')}: ${event} Responded with ${respondedWith}`)
    return
  }
  const { reference_number: reference, status } = event.data
  note(`${time}  ${event.event}  ${reference}  ${status}`)
  const state = handledBefore ? 'handled before, nothing done' : 'new event'
  const words = `${state}; responded with ${respondedWith}`
  note(`          ${green('signature matches')}${faint(`, ${age} s old; ${words}`)}`)
}
