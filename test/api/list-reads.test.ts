import { deliveryStatuses } from '../../schemas/deliveries.ts'
import type { Intent } from '../../src/intents/intent.ts'
import { alreadyCancelledAt, neverCancelsAt } from '../../src/intents/lifecycle.ts'
import { newId } from '../../src/platform/ids.ts'
import type { Delivery } from '../../src/webhooks/deliveries/delivery.ts'
import { makeDeliveryId } from '../../src/webhooks/deliveries/delivery.ts'
import { breaks, excuse } from '../invariants/expect-invariants.ts'
import { createIntent, freshDelivery, relay, subscribe } from '../support/actions.ts'
import { withImpossibleDocuments } from '../support/contract-faults.ts'
import { copyIntents, intentTemplate } from '../support/copy-intents.ts'
import { inFull, rounds } from '../support/machine.ts'
import { storeOrder } from '../support/orders.ts'
import { profiledEach } from '../support/profiled.ts'
import { type Merchant, withMerchant, withServiceAndMerchant } from '../support/service.ts'
import { createProduct } from '../support/store.ts'

const [minute, hour, day] = [60_000, 3_600_000, 86_400_000]
const many = 60
const statuses = ['PENDING', 'PAID', 'REFUNDED', 'CANCELLED', 'FAILED'] as const

describe('A list', () => {
  withImpossibleDocuments()
  const { service, merchant } = withServiceAndMerchant()
  const neighbour = withMerchant(service)
  async function read(path: string, collection: string, queries: string[]) {
    const pages = await profiledEach(service, collection, queries, async (query) => {
      const url = `/api/v1/dev/${path}?limit=7&${query}`
      const { body, status } = await service.http.get(url).set(merchant.read())
      expect(status, JSON.stringify(body)).to.equal(200)
      return body.data as { items: { id: string }[]; total: number }
    })
    return pages.map(({ input: query, result: { total, items }, ours, examined }) => {
      expect(ours.length, query).to.be.greaterThan(1)
      return { total, ids: items.map(({ id }) => id), examined, query }
    })
  }

  /** Checks that MongoDB read only the page plus one document. Resolves to the totals. */
  async function totals(path: string, collection: string, queries: string[]): Promise<number[]> {
    const found = await read(path, collection, queries)
    for (const { ids, examined, query } of found)
      expect(examined, `${path}?${query}`).to.be.at.most(ids.length + 1)
    return found.map(({ total }) => total)
  }
  const at = (age: number): Date => new Date(service.clock.now().getTime() - age)
  const spanOf = (from: number, to: number) => `from=${at(from).toISOString()}&to=${at(to).toISOString()}`

  describe('of intents', () => {
    /** With evenly spread statuses. A third of the PENDING ones is held by a payment, a third may be overdue. */
    async function fill(whose: Merchant, withOverdue: boolean): Promise<void> {
      await service.deps.Intent.deleteMany({ businessId: whose.businessId })
      await copyIntents(service, await intentTemplate(service, whose), many, (index) => {
        const status = statuses[index % 5] ?? 'PAID'
        const kind = Math.floor(index / 5) % 3
        const expiresAt = at(withOverdue && kind > 0 ? 1 : -hour)
        const pending = kind === 2 ? neverCancelsAt : expiresAt
        const cancelsAt = { PENDING: pending, CANCELLED: alreadyCancelledAt }[status as string] ?? null
        const hold = (cancelsAt === neverCancelsAt ? { id: newId() } : null) as Intent['hold']
        const createdAt = at(index * minute)
        const more = { createdAt, merchantReference: index % 2 === 0 ? 'a' : 'b', listedAmount: index }
        const paid = status === 'PAID' || status === 'REFUNDED' ? { payment: paidAt(createdAt) } : {}
        const refunded = status === 'REFUNDED' ? refundedAt(createdAt) : {}
        return { status, hold, expiresAt, cancelsAt, ...more, ...paid, ...refunded }
      })
    }
    const none = { providerTtc: 0, payerTtc: 0 }
    const commission = { ...none, tof: 0, tte: 0, totalRevenue: 0 }
    const paidAt = (time: Date): Intent['payment'] => {
      const payer = { payerPhone: '', payerHash: '', wallet: 'simulation' } as const
      return { method: 'WALLET', ...payer, commission, amountPaid: 1, paidAt: time, key: newId() }
    }
    const refundedAt = (time: Date): Partial<Intent> => {
      const times = { createdAt: time, refundedAt: time, validUntil: time }
      const refund = { id: `RF-${newId()}`, amount: 1, returnedFees: none, reason: null, ...times }
      const refundTimes = { firstAt: time, lastAt: time, count: 1 }
      return { refunds: [{ ...refund, status: 'SUCCEEDED' }], refundTimes }
    }

    for (const [what, withOverdue, pending, cancelled] of [
      ['no PENDING intent is overdue', false, 12, 12],
      ['some PENDING intents are overdue', true, 8, 16],
    ] as const)
      it(`reads only the intents it returns and has an exact total, whatever the filter: ${what}`, async () => {
        await fill(neighbour, withOverdue)
        await fill(merchant, withOverdue)
        const each = [pending, 12, 12, cancelled, 12]
        const status = statuses.map((one) => `status=${one}`)
        expect(await totals('intents', 'intents', ['', ...status])).to.deep.equal([many, ...each])
        const half = spanOf((many / 2 - 0.5) * minute, 0)
        const inHalf = await totals('intents', 'intents', [half, ...status.map((one) => `${one}&${half}`)])
        expect(inHalf).to.deep.equal([many / 2, ...each.map((count) => count / 2)])
        const ofReference = ['', ...status, half, 'page=3'].map((one) => `merchantReference=a&${one}`)
        const [all = 0, ...rest] = await totals('intents', 'intents', ofReference)
        const inStatus = rest.slice(0, statuses.length).reduce((sum, count) => sum + count, 0)
        expect([all, inStatus, ...rest.slice(-2)]).to.deep.equal([30, 30, 15, 30])
        await totals('intents', 'intents', ['page=4', ...status.map((one) => `${one}&page=2`)])
        const [from, to] = [at(29.5 * minute).toISOString(), at(9.5 * minute).toISOString()]
        const ranges = [`paidFrom=${from}&paidTo=${to}`, `refundedFrom=${from}&refundedTo=${to}`]
        const queries = [
          ...ranges,
          ...ranges.map((one) => `${one}&status=REFUNDED`),
          'minAmount=10&maxAmount=29',
        ]
        expect(await totals('intents', 'intents', queries)).to.deep.equal([8, 4, 4, 4, 20])
      })
  })

  it('reads only the deliveries it returns and has an exact total, for every pair of filters', async () => {
    const { id: endpointId } = await subscribe(service, merchant, 'http://127.0.0.1:9/')
    const made = await freshDelivery(service, merchant)
    await service.deps.Delivery.deleteMany({})
    const copies = [merchant, neighbour].flatMap(({ businessId }) =>
      Array.from({ length: many }, (_none, index): Delivery => {
        const status = deliveryStatuses[index % 5] ?? 'DEAD'
        const endpoint = index % 3 === 0 ? endpointId : newId()
        const isOpen = status === 'PENDING' || status === 'RETRYING'
        const failureStatus = [503, 500, 404, undefined][index % 4]
        return {
          ...made,
          _id: makeDeliveryId(newId(), endpoint),
          endpointId: endpoint,
          businessId,
          status,
          event: index % 2 === 0 ? 'payment.created' : 'payment.expired',
          referenceNumber: index < many / 2 ? 'PI-A' : `PI-${index}`,
          createdAt: at(index * minute),
          nextAttemptAt: isOpen ? at(-day) : null,
          deadAt: status === 'DEAD' ? at(0) : null,
          ...(status === 'DELIVERED' || failureStatus === undefined ? {} : { failureStatus }),
        }
      }),
    )
    excuse([made.referenceNumber, ...copies.map(({ _id }) => _id)])
    await service.deps.Delivery.collection.insertMany(copies as never[])
    const since = at(40.5 * minute)
    type Filter = [query: string, matches: (delivery: Delivery) => boolean]
    const any: Filter = ['', () => true]
    const withStatus = (...wanted: string[]): Filter => [
      `status=${wanted.join()}`,
      ({ status }) => wanted.includes(status),
    ]
    const several = withStatus('PENDING', 'DELIVERED', 'CANCELLED')
    const statusFilters = [any, withStatus('DEAD'), withStatus('RETRYING', 'DEAD'), several]
    const responseFilters: Filter[] = [
      any,
      ['responseStatus=503', ({ failureStatus }) => failureStatus === 503],
      ['responseStatus=5xx', ({ failureStatus = 0 }) => failureStatus >= 500],
    ]
    const others: Filter[] = [
      any,
      [`endpointId=${endpointId}`, (delivery) => delivery.endpointId === endpointId],
      ['event=payment.created', ({ event }) => event === 'payment.created'],
      [`from=${since.toISOString()}&to=${at(0).toISOString()}`, ({ createdAt }) => createdAt >= since],
      ['referenceNumber=PI-A', ({ referenceNumber }) => referenceNumber === 'PI-A'],
      [
        `endpointId=${endpointId}&event=payment.created`,
        (delivery) => delivery.endpointId === endpointId && delivery.event === 'payment.created',
      ],
    ]
    // One response filter for each pair of the others covers all pairs.
    const combined = others.flatMap((other, one) =>
      statusFilters.flatMap((status, two) => {
        const first = ((one + two) % 3) + inFull(1, 0)
        const some = [...responseFilters, ...responseFilters].slice(first, first + rounds(3, 1))
        return some.map((response) => [status, response, other])
      }),
    )
    const queries = combined.map((filters) => filters.map(([text]) => text).join('&'))
    const found = await read('webhooks/events', 'deliveries', queries)
    for (const [index, { total, examined, ids, query }] of found.entries()) {
      const matches = (copy: Delivery) => combined[index]?.every(([, isMatch]) => isMatch(copy))
      const expected = copies.filter((copy) => copy.businessId === merchant.businessId && matches(copy))
      const newest = expected.slice(0, 7).map(({ _id }) => _id)
      expect([total, ids], query).to.deep.equal([expected.length, newest])
      // By reference, two queries read both businesses' deliveries of that reference.
      const isByReference = query.includes('referenceNumber')
      expect(examined, query).to.be.at.most(isByReference ? 2 * many + 7 : ids.length + 1)
    }
  })

  it('reads only the events it returns and has an exact total, whatever the filter', async () => {
    const { referenceNumber } = await createIntent(service, merchant)
    await relay(service, merchant)
    const made = await service.deps.LoggedEvent.findOne({ referenceNumber }).orFail().lean()
    breaks(service, 'events once')
    await service.deps.LoggedEvent.deleteMany({})
    await service.deps.Delivery.deleteMany({ referenceNumber })
    const copies = [merchant, neighbour].flatMap(({ businessId }) =>
      Array.from({ length: many }, (_none, index) => {
        const event = index % 3 === 0 ? 'payment.failed' : 'payment.created'
        return { ...made, _id: newId(), businessId, event, number: index + 1, createdAt: at(index * minute) }
      }),
    )
    await service.deps.LoggedEvent.collection.insertMany(copies as never[])
    const half = spanOf((many / 2 - 0.5) * minute, 0)
    const queries = ['', 'type=payment.failed', half, `type=payment.failed&${half}`, 'page=9']
    expect(await totals('events', 'events', queries)).to.deep.equal([60, 20, 30, 10, 60])
  })

  it('reads only the products, orders or endpoints it returns, whatever the filter', async () => {
    for (let index = 0; index < 12; index += 1) {
      const name = index % 3 === 0 ? `Tea ${index}` : `Soap ${index}`
      const variant = { sku: `s${index}`, price: 1, stock: 1 }
      await createProduct(service, merchant, { name, active: index % 2 === 0, ...variant })
      await storeOrder(service, merchant)
    }
    const { body } = await service.http.get('/api/v1/dev/store/products?sku=s3').set(merchant.read())
    expect(body.data.total).to.equal(1)
    const wanted = ['', 'active=true', 'q=tea', 'q=tea&active=false', 'sku=s3', 'sku=none']
    expect(await totals('store/products', 'products', wanted)).to.deep.equal([12, 6, 4, 2, 1, 0])
    expect(await totals('store/orders', 'orders', ['', spanOf(day, 0)])).to.deep.equal([12, 12])
    for (let index = 0; index < 4; index += 1) {
      const { id } = await subscribe(service, merchant, `http://127.0.0.1:9/${index}`)
      await service.http.delete(`/api/v1/dev/webhooks/endpoints/${id}`).set(merchant.write()).expect(200)
    }
    expect(await totals('webhooks', 'webhookendpoints', [''])).to.deep.equal([1])
  })
})
