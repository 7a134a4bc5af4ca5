import { setTimeout as pause } from 'node:timers/promises'
import type { EndpointServer } from './endpoint-server.ts'
import type { Merchant, Service } from './service.ts'
import { waitFor } from './wait-for.ts'

interface ExpectedIntent {
  referenceNumber: string
  events: string[]
  totalAmountRefunded: number
  status: string
}

export const trafficEvents = ['payment.created', 'payment.confirmed', 'payment.cancelled', 'payment.refunded']
const pauseMs = 500
const amount = 1000
const refunded = 400

/** Each write is sent twice, as after a lost response, and both responses must be equal. */
export function startMerchantTraffic(merchant: Merchant, count: number, origin: () => string) {
  const [intents, faults]: [ExpectedIntent[], string[]] = [[], []]
  const state = { isStopped: false }
  const run = async (number: number): Promise<void> => {
    for (let round = number; !state.isStopped; round += 1) {
      try {
        intents.push(await trade(merchant, origin, round))
      } catch (error) {
        faults.push(`${String(error)}: ${String((error as Error).cause)}`)
      }
      await pause(pauseMs)
    }
  }
  const runs = Array.from({ length: count }, (_, number) => run(number))
  return {
    intents,
    faults,
    async stop() {
      state.isStopped = true
      await Promise.all(runs)
    },
  }
}

async function trade(merchant: Merchant, origin: () => string, round: number): Promise<ExpectedIntent> {
  const write = async (path: string, body: object, status: number) => {
    const headers = { ...merchant.write(), 'Content-Type': 'application/json' }
    const send = () => request(origin(), path, { method: 'POST', headers, body: JSON.stringify(body) })
    const [first, again] = [await send(), await send()]
    expect([first.status, first.text], `POST ${path}`).to.deep.equal([status, again.text])
    expect([again.status, again.replayed], `POST ${path}, again`).to.deep.equal([status, 'true'])
    return JSON.parse(first.text).data
  }
  const { referenceNumber } = await write('/intents', { amount }, 201)
  const path = `/intents/${referenceNumber}`
  const read = async () => {
    const { status, text } = await request(origin(), path, { headers: merchant.read() })
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

async function request(origin: string, path: string, options: RequestInit) {
  const response = await fetch(`${origin}/api/v1/dev${path}`, options)
  const text = await response.text()
  return { status: response.status, text, replayed: response.headers.get('idempotent-replayed') }
}

export async function expectIntentsAndWebhooks(
  service: Service,
  endpointServer: EndpointServer,
  intents: readonly ExpectedIntent[],
): Promise<void> {
  const found = await service.deps.Intent.find().lean()
  expect(found.map(({ referenceNumber }) => referenceNumber)).to.have.members(
    intents.map(({ referenceNumber }) => referenceNumber),
  )
  const byReference = new Map(found.map((intent) => [intent.referenceNumber, intent]))
  for (const { referenceNumber, events, status, totalAmountRefunded } of intents) {
    const intent = byReference.get(referenceNumber)
    const paid = events.includes('payment.confirmed')
    expect([intent?.status, intent?.payment?.amountPaid], referenceNumber).to.deep.equal([
      status,
      paid ? amount : undefined,
    ])
    expect(totalAmountRefunded, referenceNumber).to.equal(events.includes('payment.refunded') ? refunded : 0)
  }
  const wanted = intents.flatMap((each) => each.events.map((event) => `${each.referenceNumber} ${event}`))
  const count = () => new Set(endpointServer.received.map(nameOf)).size
  await waitFor('all delivered', () => count() >= wanted.length, 20_000)
  await waitFor(
    'all recorded',
    async () => (await service.deps.Delivery.countDocuments({ status: 'DELIVERED' })) === wanted.length,
  )
  expect(endpointServer.received.map(nameOf)).to.have.members(wanted)
}

const nameOf = ({ json: { event, data } }: EndpointServer['received'][number]): string =>
  `${String(data.reference_number)} ${event}`
