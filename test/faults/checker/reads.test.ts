import { expect } from 'chai'
import type { Call } from '../evidence/evidence.ts'
import { judge } from './check.ts'
import { shown } from './story/happenings.ts'
import { type Ordinary, ordinary } from './story/ordinary.ts'
import { tellsOf, the } from './story/perturbations.ts'
import { call, good, shop } from './story/story.ts'

/** The auditor reads it, when all is quiet. */
const audits = (round: Ordinary, given: Pick<Call, 'what' | 'path'>, data: object): Call =>
  call(round, 212, { ...given, actor: 'auditor', method: 'GET', answer: good(data) })

/** The auditor's first read of an intent says something else. */
const reads = ({ calls }: Ordinary, change: object): void => {
  const audited = the(calls.find(({ what, actor }) => what === 'read' && actor === 'auditor'))
  audited.answer = good({ ...(audited.answer as { data: object }).data, ...change })
}

function productOf({ product }: Ordinary, change: object = {}): object {
  const { _id, handle, name, variants } = product
  const createdAt = new Date(product.createdAt).toISOString()
  return { _id, handle, name, sandbox: true, createdAt, variants, ...change }
}

const readsProduct = (round: Ordinary, change: object = {}): Call =>
  audits(
    round,
    { what: 'product.read', path: `/api/v1/dev/store/products/${round.product._id}` },
    productOf(round, change),
  )

function readsDelivery(round: Ordinary, change: object = {}): Call {
  const { _id, body, attemptLog, createdAt, deliveredAt, redrives, ...delivery } = the(
    round.dump.deliveries.at(-1),
  )
  const last = the(attemptLog.at(-1))
  const at = (instant: number | null) => (instant === null ? null : new Date(instant).toISOString())
  const { endpointId, url, event, referenceNumber, status, attempts, nextAttemptAt, sandbox } = delivery
  const whole = {
    id: _id,
    endpointId,
    url,
    event,
    referenceNumber,
    status,
    attempts,
    maxAttempts: 8 + redrives,
    nextAttemptAt,
    lastAttemptAt: at(last.at),
    lastResponseStatus: last.status,
    lastError: last.stage,
    lastDurationMs: last.durationMs,
    sandbox,
    createdAt: at(createdAt),
    deliveredAt: at(deliveredAt),
    payload: JSON.parse(body),
    attemptLog: attemptLog.map((attempt) => ({
      at: at(attempt.at),
      url: attempt.url,
      durationMs: attempt.durationMs,
      responseStatus: attempt.status,
      error: attempt.stage,
      responseBody: null,
    })),
    ...change,
  }
  return audits(round, { what: 'delivery.read', path: `/api/v1/dev/webhooks/events/${_id}` }, whole)
}

function readsOrder(round: Ordinary, change: object = {}): Call {
  const { _id, number, status, items, total, customer, sandbox, createdAt } = the(round.dump.orders[0])
  const of = { _id, number, status, items, total, currency: 'MRU', customer, sandbox }
  const data = { ...of, createdAt: new Date(createdAt).toISOString(), ...change }
  return audits(round, { what: 'order.read', path: `/api/v1/dev/store/orders/${_id}` }, data)
}

/** One page with all of the shop's intents, of which one says something else. */
function lists(round: Ordinary, change: object): void {
  const newest = round.dump.intents.toSorted((one, other) => other.createdAt - one.createdAt)
  const items = newest.map((intent, index) => ({ ...shown(intent), ...(index === 1 ? change : {}) }))
  const data = { items, page: 1, limit: 20, total: items.length, hasMore: false }
  audits(round, { what: 'list', path: '/api/v1/dev/intents?limit=20&page=1' }, data)
}

describe('The checker of faults, of what is read,', () => {
  it('takes for exact what says the same as what is stored', () => {
    const round = ordinary()
    readsProduct(round)
    readsDelivery(round)
    readsOrder(round)
    lists(round, {})
    expect(judge(round)).to.deep.equal([])
  })

  it('compares nothing that may still move', () => {
    const round = ordinary()
    reads(round, { amount: 1 })
    round.setting.quietAt = null
    expect(judge(round).map(({ promise }) => promise)).not.to.include('read.exact')
  })

  tellsOf([
    ['read.exact', 'an intent is of another amount', (round) => reads(round, { amount: 1 })],
    ['read.exact', 'an intent has lost its label', (round) => reads(round, { label: null })],
    ['read.exact', 'an intent has metadata of nobody', (round) => reads(round, { metadata: { a: 'b' } })],
    ['read.exact', 'a paid intent shows its code', (round) => reads(round, { code: '100000' })],
    ['read.exact', 'a refund is not shown', (round) => reads(round, { refunds: [] })],
    [
      'read.exact',
      'another intent is answered',
      (round) => reads(round, { referenceNumber: round.cancelled.referenceNumber }),
    ],
    ['read.exact', 'a list says another status', (round) => lists(round, { status: 'FAILED' })],
    ['read.exact', 'a list says another amount', (round) => lists(round, { amount: 1 })],
    ['read.exact', 'a product has another name', (round) => readsProduct(round, { name: shop.id })],
    [
      'read.exact',
      'a product has no stock left',
      (round) =>
        readsProduct(round, { variants: round.product.variants.map((each) => ({ ...each, stock: 0 })) }),
    ],
    ['read.exact', 'a delivery is PENDING', (round) => readsDelivery(round, { status: 'PENDING' })],
    ['read.exact', 'a delivery had no attempt', (round) => readsDelivery(round, { attemptLog: [] })],
    ['read.exact', 'an order is of 1', (round) => readsOrder(round, { total: 1 })],
    ['read.exact', 'an order has no lines', (round) => readsOrder(round, { items: [] })],
  ])
})
