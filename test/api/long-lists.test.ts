import { expect } from 'chai'
import type { Intent } from '../../src/intents/intent.ts'
import { alreadyCancelled } from '../../src/intents/lifecycle.ts'
import { createListCounts } from '../../src/lists/counts/counts.ts'
import { cancelIntent, createIntent } from '../support/actions.ts'
import { copyIntents, intentTemplate } from '../support/copy-intents.ts'
import { type Merchant, withService } from '../support/service.ts'

const [minute, hour, day] = [60_000, 3_600_000, 86_400_000]
const statuses = ['PENDING', 'PAID', 'REFUNDED', 'CANCELLED', 'FAILED'] as const
/** The number of items between two checkpoints, a tenth of that in production. */
const stride = 200
const many = 3 * stride
/** The number of intents with the same creation time. */
const together = stride + 50

interface Listed {
  items: { referenceNumber: string }[]
  total: number
  hasMore: boolean
}

const referenceOf = ({ referenceNumber }: { referenceNumber: string }): string => referenceNumber

describe('A long list', () => {
  const service = withService()
  let merchant: Merchant
  let all: Intent[]
  before(async () => {
    service.deps.listCounts = createListCounts(() => performance.now(), { stride, maxCheckpoints: 1000 })
    const other = await service.merchant({ mode: 'live' })
    merchant = await service.merchant({ mode: 'live' })
    all = await fill(merchant, 2 * hour)
    await fill(other, 2 * hour)
  })

  /** Inserts intents, of which every fifth PENDING one is younger than a day, and the oldest is 40 days old. */
  async function fill(whose: Merchant, ageMs: number): Promise<Intent[]> {
    const newest = Date.now() - ageMs
    const copies = await copyIntents(service, await intentTemplate(service, whose), many, (index) => {
      const age = index < together ? 0 : ((index - together) * 40 * day) / (many - together)
      const createdAt = new Date(Math.floor(newest - age))
      const expiresAt = new Date(createdAt.getTime() + day)
      const isOverdue = index % 5 === 0 && expiresAt.getTime() < Date.now()
      const status = isOverdue ? 'PAID' : (statuses[index % 5] ?? 'PAID')
      const cancelsAt = { PENDING: expiresAt, CANCELLED: alreadyCancelled }[status as string] ?? null
      return { status, createdAt, expiresAt, cancelsAt }
    })
    return newestFirst(copies)
  }
  const newestFirst = (intents: Intent[]): Intent[] =>
    intents.toSorted(
      (one, other) => other.createdAt.getTime() - one.createdAt.getTime() || (one._id < other._id ? 1 : -1),
    )
  const list = async (query: string, as: Merchant = merchant): Promise<Listed> => {
    const { status, body } = await service.http.get(`/api/v1/dev/intents?${query}`).set(as.read())
    expect(status, JSON.stringify(body)).to.equal(200)
    return body.data
  }
  const totalOf = async (query: string) => (await list(query)).total
  const counts = () => Promise.all(statuses.map((status) => totalOf(`status=${status}`)))
  const expected = () => statuses.map((status) => all.filter((one) => one.status === status).length)

  it('has an exact total, and its pages contain every item', async () => {
    for (const page of [1, 2, 21, 25, 26, 40, 60, 61, 1000]) {
      const { items, total, hasMore } = await list(`page=${page}&limit=10`)
      const wanted = all.slice((page - 1) * 10, page * 10)
      expect(items.map(referenceOf)).to.deep.equal(wanted.map(referenceOf))
      expect({ page, total, hasMore }).to.deep.equal({ page, total: many, hasMore: page < 60 })
    }
  })

  it('has an exact total for any time range', async () => {
    const instants = [0, together, 300, 471, many - 1].map((index) => all[index]?.createdAt)
    for (const from of [undefined, ...instants])
      for (const to of [undefined, ...instants]) {
        if (from !== undefined && to !== undefined && from > to) continue
        const isInside = (at: Date) => at >= (from ?? 0) && at <= (to ?? new Date())
        const inside = all.filter(({ createdAt }) => isInside(createdAt))
        const span = `${from ? `from=${from.toISOString()}&` : ''}${to ? `to=${to.toISOString()}&` : ''}`
        const { items, total } = await list(`${span}limit=3&page=81`)
        expect(total, span).to.equal(inside.length)
        expect(items.map(referenceOf)).to.deep.equal(inside.slice(240, 243).map(referenceOf))
      }
  })

  it('has an exact total immediately after creates, cancellations, refunds and expiries', async () => {
    expect(await counts()).to.deep.equal(expected())
    const made = await Promise.all(Array.from({ length: 20 }, () => createIntent(service, merchant)))
    expect(await totalOf('')).to.equal(many + 20)
    const changes = (await counts()).map((count, index) => count - (expected()[index] ?? 0))
    expect(changes).to.deep.equal([20, 0, 0, 0, 0])
    await cancelIntent(service, merchant, made[0]?.referenceNumber ?? '')
    const oldestPaid = all.findLast((one) => one.status === 'PAID')
    await service.deps.Intent.updateOne({ _id: oldestPaid?._id ?? '' }, { status: 'REFUNDED' })
    const [nowPending = 0, nowPaid = 0, nowRefunded = 0, nowCancelled = 0, nowFailed = 0] = expected()
    const others = [nowPaid - 1, nowRefunded + 1]
    expect(await counts()).to.deep.equal([nowPending + 19, ...others, nowCancelled + 1, nowFailed])
    service.clock.advance(2 * day)
    expect(await counts()).to.deep.equal([0, ...others, nowPending + nowCancelled + 20, nowFailed])
    expect(await totalOf('')).to.equal(many + 20)
  })

  it('has an exact total while the clean-up removes the oldest test intents', async () => {
    const key = await service.merchant()
    await fill(key, 10 * day + minute)
    expect((await list('', key)).total).to.equal(many)
    const { sandboxRetentionMs } = service.deps.config
    const kept = { createdAt: { $lt: new Date(service.clock.now().getTime() - sandboxRetentionMs) } }
    const { deletedCount } = await service.deps.Intent.deleteMany({ businessId: key.businessId, ...kept })
    expect(deletedCount).to.be.greaterThan(100)
    const { total, items } = await list('page=30&limit=10', key)
    expect(total).to.equal(many - deletedCount)
    expect(items).to.have.lengthOf(10)
  })
})
