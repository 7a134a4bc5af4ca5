import { expireIntent } from '../../../src/intents/expire.ts'
import { fill, follow, open, wallets } from '../../checkout/customer.ts'
import { deliveriesOf, relay, storedBodies, subscribe } from '../../support/actions.ts'
import { asMerchant, type Merchant, type Service } from '../../support/service.ts'
import type { CallerName, Search, WalletName, Write } from './asked.ts'
import type { Seen } from './known.ts'
import type { Answer } from './model.ts'

/** The service as the model's callers meet it: businesses of its own for each run. */
export interface Stage {
  service: Service
  businesses: Merchant[]
  callers: Record<CallerName, Merchant>
  /** Of the intents, in the order in which they were made. */
  made: { referenceNumber: string; shortCode: string }[]
  /** The first answers, byte for byte, by the model's name of what is kept. */
  texts: Map<string, string>
}

/** What came back of a write or a read. */
export interface Heard extends Answer {
  text: string
  replay: 'no' | 'same' | 'other'
  made: Stage['made'][number] | null
}

const nobodysEndpoint = 'http://127.0.0.1:9/hook'
const events = ['created', 'confirmed', 'cancelled', 'expired', 'refunded', 'failed'].map(
  (name) => `payment.${name}`,
)

export async function openStage(service: Service): Promise<Stage> {
  const [till, stranger] = await Promise.all([service.merchant(), service.merchant()])
  const [office, live] = await Promise.all([
    service.key(till.businessId),
    service.key(till.businessId, { mode: 'live' }),
    ...[till, stranger].map((merchant) => subscribe(service, merchant, nobodysEndpoint, events)),
  ])
  const callers = {
    till,
    office: asMerchant(till.businessId, office),
    live: asMerchant(till.businessId, live),
    stranger,
  }
  return { service, businesses: [till, stranger], callers, made: [], texts: new Map() }
}

/** Where nothing was made yet, an address of its own under which nothing is. */
const pathTo = ({ made }: Stage, to: number) =>
  `/intents/${made[to]?.referenceNumber ?? `PI-22222222222222${to + 10}`}`
const operations = { cancel: 'cancel', refund: 'refund', simulate: 'simulate-payment' }

export async function send(stage: Stage, write: Write): Promise<Heard> {
  const path = write.what === 'create' ? '/intents' : `${pathTo(stage, write.to)}/${operations[write.what]}`
  const headers = { ...stage.callers[write.by].write(write.key), 'Content-Type': 'application/json' }
  return call(stage, path, { method: 'POST', headers, body: JSON.stringify(write.body) })
}

export const look = (stage: Stage, by: CallerName, to: number): Promise<Heard> =>
  call(stage, pathTo(stage, to), { headers: stage.callers[by].read() })

async function call({ service }: Stage, path: string, init: RequestInit): Promise<Heard> {
  const response = await fetch(`${service.origin}/api/v1/dev${path}`, init)
  const { status, headers } = response
  const text = await response.text()
  const { data = null, error } = JSON.parse(text)
  const replayed = headers.get('idempotent-params-mismatch') === 'true' ? 'other' : 'same'
  const replay = headers.get('idempotent-replayed') === 'true' ? replayed : 'no'
  const seen = data === null ? null : seenIn(data)
  return { status, code: error?.code ?? null, seen, text, replay, made: data }
}

/** An intent in any answer: a create has fewer fields. */
interface Shown extends Pick<Seen, 'status' | 'amount' | 'sandbox' | 'expiresAt'> {
  code: string | null
  cancellationReason?: string
  failure?: Seen['failure']
  payment?: { amountPaid: number } | null
  refunds?: Refund[]
  totalAmountRefunded?: number
}
interface Refund {
  amount: number
  status: string
}

function seenIn(data: Shown): Seen {
  const { status, amount, sandbox, expiresAt } = data
  return {
    status,
    amount,
    sandbox,
    hasCode: /^\d{6}$/.test(data.code ?? ''),
    reason: data.cancellationReason ?? null,
    failure: data.failure ?? null,
    paid: data.payment?.amountPaid ?? null,
    refunds: amountsOf(data.refunds ?? []),
    refunded: data.totalAmountRefunded ?? 0,
    expiresAt,
  }
}

/** What has gone back. Of two at once one may show the other as still under way; they stand in the order in which they began. */
const amountsOf = (refunds: Refund[]): number[] =>
  refunds
    .filter(({ status }) => status === 'SUCCEEDED')
    .map(({ amount }) => amount)
    .toSorted((a, b) => a - b)

/** A page of a list; the intents by their places in `made`, and what is seen of each. */
export async function search({ service, callers, made }: Stage, { by, status, page, limit }: Search) {
  const query = { page, limit, ...(status === null ? {} : { status }) }
  const { body } = await service.http
    .get('/api/v1/dev/intents')
    .query(query)
    .set(callers[by].read())
    .expect(200)
  const references = made.map(({ referenceNumber }) => referenceNumber)
  const items = body.data.items.map((item: Shown & { referenceNumber: string }) => ({
    at: references.indexOf(item.referenceNumber),
    seen: seenIn(item),
  }))
  return { ...body.data, items }
}

/** A customer opens the page and sends the form; whether the page then says that it is paid. */
export async function pay(
  { service, made }: Stage,
  to: number,
  wallet: WalletName,
): Promise<'paid' | 'not paid'> {
  const answer = await fill(await open(service, `/p/${made[to]?.shortCode}`), wallets[wallet])
  const page = answer.location === null ? answer : await follow(answer)
  return page.says.includes('Payment successful') ? 'paid' : 'not paid'
}

/** What workers do in time: expire what is due, twice over, and relay every event. */
export async function work({ service, businesses, made }: Stage): Promise<void> {
  const both = [...made, ...made].map(({ referenceNumber }) => expireIntent(service.deps, referenceNumber))
  await Promise.all(both)
  for (const business of businesses) await relay(service, business)
}

/** What every business was told, intent by intent in the order in which they were made, event by event. */
export async function told({
  service,
  businesses,
  made,
}: Stage): Promise<[string, string, number | null][][]> {
  const deliveries = (await Promise.all(businesses.map((business) => deliveriesOf(service, business)))).flat()
  const bodies = await storedBodies(service, deliveries)
  return made.map(({ referenceNumber }) =>
    bodies
      .filter(({ data }) => data.reference_number === referenceNumber)
      .map(({ event, data }) => [event, data.status, data.amount]),
  )
}
