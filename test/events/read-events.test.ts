import type { EventName } from '../../schemas/events.ts'
import type { LoggedEvent } from '../../src/events/log.ts'
import { openEventLog } from '../../src/events/log.ts'
import { noDeadline } from '../../src/mongo/batchers.ts'
import { newId } from '../../src/platform/ids.ts'
import { expectRefused } from '../api/refused.ts'
import { breaks, excuse } from '../invariants/expect-invariants.ts'
import { cancelIntent, createIntent, relay } from '../support/actions.ts'
import { withImpossibleDocuments } from '../support/contract-faults.ts'
import { storeOrder } from '../support/orders.ts'
import type { Merchant } from '../support/service.ts'
import {
  withAnotherKey,
  withMerchantPerTest,
  withSecondProcess,
  withServiceAndMerchantPerTest,
} from '../support/service.ts'

const list = '/api/v1/dev/events'
const feed = `${list}/feed`
const [minute, hour] = [60_000, 3_600_000]

type Item = Record<'id' | 'type' | 'createdAt' | 'referenceNumber', string> & {
  body: { id: string; event: string }
}
type Read = { items: Item[]; total: number; next: string; hasMore: boolean }

describe('The events API', () => {
  withImpossibleDocuments()
  const { service, merchant } = withServiceAndMerchantPerTest()
  const other = withSecondProcess(service)
  const live = withMerchantPerTest(service, { mode: 'live' })
  const idOf = ({ id }: { id: string }) => id

  async function read(path: string, as: Merchant = merchant): Promise<Read> {
    const { status, body } = await service.http.get(path).set(as.read())
    expect(status, JSON.stringify(body)).to.equal(200)
    return body.data
  }

  async function follow(after: string | null, query = '', as: Merchant = merchant) {
    const items: Item[] = []
    for (let position = after; ; ) {
      const part = await read(`${feed}?${position === null ? '' : `after=${position}&`}${query}`, as)
      items.push(...part.items)
      position = part.next
      if (!part.hasMore) return { items, next: part.next }
    }
  }

  /** Logs events of a single intent, at these times and in this order. */
  async function log(as: Merchant, sandbox: boolean, events: [EventName, Date][]): Promise<LoggedEvent[]> {
    const { businessId } = as
    const { referenceNumber } = await createIntent(service, as)
    await relay(service, as)
    excuse([referenceNumber])
    await service.deps.LoggedEvent.deleteMany({ referenceNumber })
    const drafts = events.map(([event, createdAt]) => {
      const facts = { status: 'PENDING', amount: 5 }
      return { _id: newId(), event, referenceNumber, createdAt, format: 1, facts }
    })
    await service.deps.batchers.appendEvents({ businessId, sandbox }, drafts, noDeadline)
    return service.deps.LoggedEvent.find({ businessId }).sort({ number: 1 }).lean<LoggedEvent[]>()
  }

  const ago = (ms: number) => new Date(service.clock.now().getTime() - ms)

  it('lists events newest first, or in log order after a given position', async () => {
    const { referenceNumber } = await createIntent(service, merchant)
    const order = await storeOrder(service, merchant)
    await relay(service, merchant)
    await cancelIntent(service, merchant, referenceNumber)
    await relay(service, merchant)
    const { items, total } = await read(list)
    const followed = await follow(null)
    expect(items.map(({ type }) => type)).to.deep.equal(['payment.cancelled', 'order.new', 'payment.created'])
    expect(total).to.equal(3)
    expect(followed.items).to.have.deep.members(items)
    expect(followed.items.at(-1)).to.deep.equal(items[0])
    for (const { id, type, body } of items) expect(body).to.include({ id, event: type })
    const [newest] = items
    expect(await read(`${list}/${newest?.id}`)).to.deep.equal(newest)
    const ofOrder = await read(`${list}?referenceNumber=${order.number}`)
    expect(ofOrder.items.map(idOf)).to.deep.equal([items[1]?.id])
    expect((await follow('latest')).items).to.deep.equal([])
    const { next } = await read(`${feed}?after=latest`)
    expect(next).to.equal(followed.next)
    await createIntent(service, merchant)
    await relay(service, merchant)
    expect((await follow(next)).items.map(({ type }) => type)).to.deep.equal(['payment.created'])
  })

  for (const sandbox of [true, false])
    it(`finds exactly the matching events for every filter, page size and order: ${sandbox ? 'sandbox' : 'live'}`, async () => {
      const as = sandbox ? merchant : live
      const names = ['payment.created', 'payment.cancelled', 'payment.expired'] as const
      const events = Array.from({ length: 40 }, (_, index): [EventName, Date] => {
        return [names[index % 3] ?? 'payment.created', ago(((index * 7) % 20) * hour)]
      })
      const all = await log(as, sandbox, events)
      const newestFirst = all.toSorted(
        (a, b) => b.createdAt.getTime() - a.createdAt.getTime() || (a._id < b._id ? 1 : -1),
      )
      const reference = all[0]?.referenceNumber
      const [early, late] = [ago(15.5 * hour), ago(hour)]
      const spans = ([[], [early], [null, late], [early, late]] as const).slice(sandbox ? 0 : 3)
      for (const type of [null, 'payment.cancelled'])
        for (const referenceNumber of [null, reference])
          for (const [from, to] of spans) {
            const isInside = ({ createdAt }: LoggedEvent) =>
              (!from || createdAt >= from) && (!to || createdAt <= to)
            const wanted = newestFirst.filter(
              (each) => (type === null || each.event === type) && isInside(each),
            )
            const filters = { type, referenceNumber, from: from?.toISOString(), to: to?.toISOString() }
            const given = Object.entries(filters).filter(([, value]) => typeof value === 'string')
            const params = new URLSearchParams({ page: '2', limit: '7', ...Object.fromEntries(given) })
            const query = params.toString()
            const { items, total, hasMore } = await read(`${list}?${query}`, as)
            expect(items.map(idOf), query).to.deep.equal(wanted.slice(7, 14).map(({ _id }) => _id))
            expect([total, hasMore], query).to.deep.equal([wanted.length, wanted.length > 14])
          }
      const followed = await follow(null, 'limit=7', as)
      expect(followed.items.map(idOf)).to.deep.equal(all.map(({ _id }) => _id))
      const cancelled = await follow(null, 'limit=3&type=payment.cancelled', as)
      const wanted = all.filter(({ event }) => event === 'payment.cancelled')
      expect(cancelled.items.map(idOf)).to.deep.equal(wanted.map(({ _id }) => _id))
      expect(cancelled.next).to.equal(followed.next)
    })

  it("shows only events that the key's scopes allow", async () => {
    await createIntent(service, merchant)
    const order = await storeOrder(service, merchant)
    await createIntent(service, merchant)
    await relay(service, merchant)
    const forOrders = await withAnotherKey(service, merchant, { scopes: ['store.orders:read'] })
    const { items, total } = await read(list, forOrders)
    const shown = items.map((each) => [each.type, each.referenceNumber])
    expect(shown).to.deep.equal([['order.new', order.number]])
    expect(total).to.equal(1)
    const followed = await follow(null, '', forOrders)
    expect(followed.items).to.deep.equal(items)
    const all = await follow(null)
    expect(followed.next).to.equal(all.next)
    const hidden = all.items.find(({ type }) => type === 'payment.created')
    const request = (path: string) => service.http.get(path).set(forOrders.read())
    const details = { scope: 'payments.intents:read' }
    for (const path of [
      `${list}/${hidden?.id}`,
      `${list}?type=payment.created`,
      `${feed}?type=payment.failed`,
    ])
      await expectRefused(request(path), 403, 'SCOPE_REQUIRED', { details })
    const without = await withAnotherKey(service, merchant, { scopes: ['store.products:read'] })
    for (const path of [list, feed, `${list}/${hidden?.id}`])
      await expectRefused(service.http.get(path).set(without.read()), 403, 'SCOPE_REQUIRED')
  })

  it('rejects a position that is invalid or belongs to another environment or business', async () => {
    const { referenceNumber } = await createIntent(service, merchant)
    await relay(service, merchant)
    const { next } = await follow(null)
    const ofLive = await withAnotherKey(service, merchant, { mode: 'live' })
    const stranger = await service.merchant()
    const expectInvalid = (param: string, query: string, as: Merchant = merchant) =>
      expectRefused(service.http.get(`${feed}?${query}`).set(as.read()), 400, 'VALIDATION_ERROR', { param })
    for (const [after, as] of [
      [next, ofLive],
      [next, stranger],
      [`9${next}`, merchant],
      ['1', merchant],
      ['', merchant],
      ['x'.repeat(65), merchant],
    ] as const)
      for (const query of ['', '&wait=1']) await expectInvalid('after', `after=${after}${query}`, as)
    for (const wait of ['26', '-1', '1.5', 'x', '']) await expectInvalid('wait', `wait=${wait}`)
    // As after restoring a backup that lacks the last event.
    breaks(service, 'events once', referenceNumber)
    await service.deps.LoggedEvent.deleteMany({ businessId: merchant.businessId })
    await expectInvalid('after', `after=${next}&wait=1`)
  })

  it('gives a reader every event once and in order while several processes log events', async () => {
    const { referenceNumber } = await createIntent(service, merchant)
    excuse([referenceNumber])
    await relay(service, merchant)
    const owner = { businessId: merchant.businessId, sandbox: true }
    const names = ['payment.created', 'payment.cancelled', 'payment.expired', 'payment.failed'] as const
    let isLogging = true
    const logs = [service, other, service, other].map(({ deps }) => openEventLog(deps, deps.now))
    const logging = Promise.all(
      logs.map(async (each, at) => {
        for (let count = 0; count < 6; count += 1) {
          const facts = { status: 'PENDING', amount: 5 }
          const event = names[(at + count) % names.length] ?? 'payment.created'
          const of = { event, referenceNumber, createdAt: ago(count * minute), format: 1, facts }
          await each.appendEvents(owner, [{ _id: newId(), ...of }], noDeadline)
        }
      }),
    ).finally(() => (isLogging = false))
    const readers = await Promise.all(
      ['', 'type=payment.cancelled'].map(async (query) => {
        const seen: Item[] = []
        for (let next: string | null = null, isLast = false; !isLast; ) {
          isLast = !isLogging
          const part: { items: Item[]; next: string } = await follow(next, query)
          seen.push(...part.items)
          next = part.next
        }
        return seen
      }),
    )
    await logging
    const [everything = [], cancelled = []] = readers
    const logged = await service.deps.LoggedEvent.find(owner).sort({ number: 1 }).lean<LoggedEvent[]>()
    expect(logged).to.have.length(4 * 6 + 1)
    expect(everything.map(idOf)).to.deep.equal(logged.map(({ _id }) => _id))
    const wanted = logged.filter(({ event }) => event === 'payment.cancelled')
    expect(cancelled.map(idOf)).to.deep.equal(wanted.map(({ _id }) => _id))
  })
})
