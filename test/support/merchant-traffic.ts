import { setTimeout as pause } from 'node:timers/promises'
import { expect } from 'chai'
import type { EndpointServer } from './endpoint-server.ts'
import type { Merchant, Service } from './service.ts'
import { waitFor } from './wait-for.ts'

/** What a merchant has been told of one of its intents. */
export interface ExpectedIntent {
  referenceNumber: string
  /** The events that its history asks for, in order. */
  events: string[]
  totalAmountRefunded: number
  status: string
}

/** Merchants' servers at work: each makes an intent, reads it, and has it paid and refunded, or cancels it; again and again. */
export interface MerchantTraffic {
  /** The intents whose every answer was heard. */
  intents: ExpectedIntent[]
  /** What was not answered as it should be, in words. */
  faults: string[]
  stop(): Promise<void>
}

/** What their webhooks are about. */
export const trafficEvents = ['payment.created', 'payment.confirmed', 'payment.cancelled', 'payment.refunded']

/** Between two intents of one of them: what starts and ends meanwhile needs the processor too. */
const restMs = 50

const amount = 1000
const refunded = 400

/** `origin` says for each request where it goes. Each write is sent twice, as after an answer that was lost, and must be answered the same. */
export function startMerchantTraffic(
  merchant: Merchant,
  count: number,
  origin: () => string,
): MerchantTraffic {
  const [told, faults]: [ExpectedIntent[], string[]] = [[], []]
  const shift = { isOver: false }
  const shop = async (number: number): Promise<void> => {
    for (let round = number; !shift.isOver; round += 1) {
      try {
        told.push(await trade(merchant, origin, round))
      } catch (error) {
        faults.push(`${String(error)}: ${String((error as Error).cause)}`)
      }
      await pause(restMs)
    }
  }
  const shops = Array.from({ length: count }, (_, number) => shop(number))
  return {
    intents: told,
    faults,
    async stop() {
      shift.isOver = true
      await Promise.all(shops)
    },
  }
}

async function trade(merchant: Merchant, origin: () => string, round: number): Promise<ExpectedIntent> {
  const write = async (path: string, body: object, status: number) => {
    const headers = { ...merchant.write(), 'Content-Type': 'application/json' }
    const send = () => ask(origin(), path, { method: 'POST', headers, body: JSON.stringify(body) })
    const [first, again] = [await send(), await send()]
    expect([first.status, first.text], `POST ${path}`).to.deep.equal([status, again.text])
    expect([again.status, again.replayed], `POST ${path}, again`).to.deep.equal([status, 'true'])
    return JSON.parse(first.text).data
  }
  const { referenceNumber } = await write('/intents', { amount }, 201)
  const path = `/intents/${referenceNumber}`
  const read = async () => {
    const { status, text } = await ask(origin(), path, { headers: merchant.read() })
    expect(status, `GET ${path}`).to.equal(200)
    return JSON.parse(text).data
  }
  expect((await read()).status).to.equal('PENDING')
  const events = ['payment.created']
  if (round % 4 === 0) {
    await write(`${path}/cancel`, {}, 200)
    events.push('payment.cancelled')
  } else {
    await write(`${path}/simulate-payment`, {}, 200)
    events.push('payment.confirmed')
  }
  if (round % 4 === 1) {
    await write(`${path}/refund`, { amount: refunded }, 200)
    events.push('payment.refunded')
  }
  const { status, totalAmountRefunded } = await read()
  return { referenceNumber, events, status, totalAmountRefunded }
}

async function ask(origin: string, path: string, how: RequestInit) {
  const response = await fetch(`${origin}/api/v1/dev${path}`, how)
  const text = await response.text()
  return { status: response.status, text, replayed: response.headers.get('idempotent-replayed') }
}

/** The books hold what the merchant was told, and its endpoint got each event of it once. */
export async function expectIntentsAndWebhooks(
  service: Service,
  endpointServer: EndpointServer,
  told: readonly ExpectedIntent[],
): Promise<void> {
  const found = await service.deps.Intent.find().lean()
  expect(found.map(({ referenceNumber }) => referenceNumber)).to.have.members(
    told.map(({ referenceNumber }) => referenceNumber),
  )
  const byReference = new Map(found.map((intent) => [intent.referenceNumber, intent]))
  for (const { referenceNumber, events, status, totalAmountRefunded } of told) {
    const intent = byReference.get(referenceNumber)
    const paid = events.includes('payment.confirmed')
    expect([intent?.status, intent?.payment?.amountPaid], referenceNumber).to.deep.equal([
      status,
      paid ? amount : undefined,
    ])
    expect(totalAmountRefunded, referenceNumber).to.equal(events.includes('payment.refunded') ? refunded : 0)
  }
  const wanted = told.flatMap(({ referenceNumber, events }) =>
    events.map((event) => `${referenceNumber} ${event}`),
  )
  await waitFor(
    'all delivered',
    () => new Set(endpointServer.received.map(nameOf)).size >= wanted.length,
    20_000,
  )
  await waitFor(
    'all written down',
    async () => (await service.deps.Delivery.countDocuments({ status: 'DELIVERED' })) === wanted.length,
  )
  expect(endpointServer.received.map(nameOf)).to.have.members(wanted)
}

const nameOf = ({ json: { event, data } }: EndpointServer['received'][number]): string =>
  `${String(data.reference_number)} ${event}`
