import { type Counters, createCounters, type PointLimit, type Quota } from '../../src/limits/counter.ts'
import { withService } from '../support/service.ts'
import { waitFor } from '../support/wait-for.ts'

const dayMs = 86_400_000
const noon = new Date('2036-03-01T12:00:00.000Z')

describe('A durable counter', () => {
  const service = withService()
  let warnings: object[] = []
  const log = { warn: (fields: object) => void warnings.push(fields) } as never
  const open = (Counter = service.deps.Counter) => createCounters({ Counter, now: service.deps.now, log })
  let counters: Counters
  let other: Counters
  beforeEach(() => {
    service.clock.freeze(noon)
    warnings = []
    ;[counters, other] = [open(), open()]
  })

  let owners = 0
  const quota = (limit: number, name = 'things'): Quota => ({ name, owner: `owner-${++owners}`, limit })
  const bound = (max: number): PointLimit => ({ id: `tries ${++owners}`, max, seconds: 600 })
  const idToday = ({ name, owner }: Quota) =>
    `${name} ${owner} ${Math.floor(service.deps.now().getTime() / dayMs)}`
  const used = async (id: string) => (await service.deps.Counter.findById(id).lean())?.used ?? 0
  const usedOf = (each: Quota) => used(idToday(each))
  const isUsed = (each: Quota, amount: number) =>
    waitFor(`${amount} used`, async () => (await usedOf(each)) === amount)
  const granted = async (times: number, act: (each: Counters) => Promise<boolean>): Promise<number> => {
    const all = Array.from({ length: times }, (_, index) => act(index % 2 === 0 ? counters : other))
    return (await Promise.all(all)).filter(Boolean).length
  }

  describe('for a quota', () => {
    it('grants exactly the limit, however many processes need units at the same time', async () => {
      const small = quota(50)
      expect(await granted(300, (each) => each.spend(small, 1))).to.equal(50)
      expect(await usedOf(small)).to.equal(50)
      const large = quota(1000)
      const one = await granted(1500, (each) => each.spend(large, 1))
      expect(one).to.be.within(980, 1000)
      await Promise.all([counters.close(), other.close()])
      expect(await usedOf(large)).to.equal(one)
    })

    it('refuses an action that needs more than is left but still grants a smaller one', async () => {
      const bytes = quota(90)
      expect(await counters.spend(bytes, 50)).to.equal(true)
      const refused = await Promise.all([counters.spend(bytes, 41), other.spend(bytes, 91)])
      expect(refused).to.deep.equal([false, false])
      expect(await counters.spend(bytes, 40)).to.equal(true)
    })

    it('reserves what the first action needs, then twice as much each time up to 1 % of the limit', async () => {
      const large = quota(10_000)
      const reserved: number[] = []
      for (let spent = 1; spent <= 500; spent += 1) {
        await counters.spend(large, 1)
        const now = await usedOf(large)
        expect(now - spent, `after ${spent}`).to.be.within(0, 100)
        if (now !== reserved.at(-1)) reserved.push(now)
      }
      expect(reserved.slice(0, 7)).to.deep.equal([1, 3, 7, 15, 31, 63, 127])
      expect(reserved).to.have.lengthOf.at.most(12)
    })

    it('divides the remainder among processes until everything is used', async () => {
      const large = quota(1000)
      expect(await granted(990, (each) => each.spend(large, 1))).to.equal(990)
      let rest = 0
      for (const each of [counters, other]) while (await each.spend(large, 1)) rest += 1
      expect(rest).to.equal(10)
    })

    it('returns the units that it has reserved but not used when the process stops', async () => {
      const large = quota(10_000)
      for (let spent = 0; spent < 50; spent += 1) await counters.spend(large, 1)
      expect(await usedOf(large)).to.be.above(50)
      await counters.close()
      expect(await usedOf(large)).to.equal(50)
    })

    it('counts usage that has already been stored, even beyond the limit', async () => {
      const bytes = quota(100)
      expect(await counters.spend(bytes, 90)).to.equal(true)
      for (const amount of [10, 20, 30]) counters.count(bytes, amount)
      await isUsed(bytes, 150)
      expect(await other.spend(bytes, 1)).to.equal(false)
      counters.count(bytes, 7)
      await Promise.resolve()
      counters.count(bytes, 5)
      await counters.close()
      expect(await usedOf(bytes), 'after the process has stopped').to.equal(162)
    })

    it('returns the units counted for failed work, so all processes can use them', async () => {
      const bytes = quota(99)
      await counters.spend(bytes, 99)
      counters.count(bytes, -40)
      await isUsed(bytes, 59)
      expect([await other.spend(bytes, 41), await other.spend(bytes, 40)]).to.deep.equal([false, true])
    })

    it('applies a changed limit immediately', async () => {
      const first = quota(1)
      expect(await counters.spend(first, 1)).to.equal(true)
      expect(await counters.spend({ ...first, limit: 2 }, 1)).to.equal(true)
      expect(await counters.spend({ ...first, limit: 2 }, 1)).to.equal(false)
      expect(await counters.spend({ ...first, limit: 1 }, 1)).to.equal(false)
    })

    it('is reported once a day when four fifths of it are used up', async () => {
      const daily = quota(10)
      for (let spent = 1; spent <= 7; spent += 1) await counters.spend(daily, 1)
      await counters.spend(daily, 1)
      await waitFor('it is reported', () => warnings.length > 0)
      await counters.spend(daily, 1)
      await counters.spend(daily, 1)
      await counters.fullest(daily.name, 1)
      const { name, owner, limit } = daily
      expect(warnings).to.deep.equal([{ quota: name, businessId: owner, used: 8, limit }])
    })

    it('lists the owners closest to their limits, counting usage in other processes too', async () => {
      const [half, most, other100] = [quota(100, 'listed'), quota(10, 'listed'), quota(100, 'listed')]
      await counters.spend(half, 50)
      await counters.spend(most, 9)
      await counters.spend(other100, 10)
      await counters.spend(quota(1, 'another'), 1)
      await other.spend(half, 10)
      const listed = await waitFor('the others have been read', async () => {
        const fullest = await counters.fullest('listed', 2)
        return fullest[0]?.owner === most.owner && fullest[1]?.used === 60 && fullest
      })
      expect(listed.map((each) => [each.owner, each.used])).to.deep.equal([
        [most.owner, 9],
        [half.owner, 60],
      ])
    })

    it('returns the least recently used reservation once it has more than ten thousand', async () => {
      const [busy, quiet, ...others] = Array.from({ length: 10_001 }, () => quota(1000))
      if (busy === undefined || quiet === undefined) throw new Error('no quota')
      for (const each of [busy, busy, quiet, quiet, busy]) await counters.spend(each, 1)
      expect(await Promise.all([busy, quiet].map(usedOf))).to.deep.equal([3, 3])
      await Promise.all(others.map((each) => counters.spend(each, 1)))
      await isUsed(quiet, 2)
      expect(await usedOf(busy)).to.equal(3)
    })

    it('fails only for the actions in the failed part of a batch', async () => {
      const [shared, own] = [quota(10), bound(5)]
      await other.spend(shared, 5)
      const stored = service.deps.Counter.collection
      let writes = 0
      const bulkWrite = async (...operations: Parameters<typeof stored.bulkWrite>) => {
        writes += 1
        if (writes === 2) throw new Error('MongoDB is away')
        return stored.bulkWrite(...operations)
      }
      const collection = Object.create(stored, { bulkWrite: { value: bulkWrite } })
      const flaky = open({ collection } as typeof service.deps.Counter)
      const acts = [flaky.take([own]), flaky.spend(shared, 3), flaky.spend(shared, 4)]
      const results = await Promise.all(acts.map((act) => act.catch(({ message }: Error) => message)))
      expect(results).to.deep.equal([[0], 'MongoDB is away', false])
      expect([await used(own.id), await usedOf(shared)]).to.deep.equal([1, 5])
    })
  })

  describe('for failures', () => {
    it('blocks from when its limit is reached until the end of the period that began with the first point', async () => {
      const each = bound(3)
      for (const _point of [1, 2, 3]) {
        expect(await counters.take([each])).to.deep.equal([0])
        service.clock.advance(60_000)
      }
      const [closedMs] = await other.take([each])
      expect(closedMs).to.equal(7 * 60_000)
      expect(await other.look(each, 1)).to.deep.equal({ used: 4, closedMs: 7 * 60_000 })
      service.clock.advance(7 * 60_000)
      expect(await counters.take([each])).to.deep.equal([0])
      expect(await other.look(each, 0)).to.deep.equal({ used: 1, closedMs: 0 })
    })

    it('lets only as many attempts begin as its limit allows, across all processes', async () => {
      const [own, wider] = [bound(30), bound(1000)]
      const begins = await granted(200, async (by) => (await by.take([own, wider])).every((ms) => ms === 0))
      expect(begins).to.equal(30)
      expect([await used(own.id), await used(wider.id)]).to.deep.equal([30, 30])
    })

    it('counts an attempt under all of its keys, or under none if one of them is blocked', async () => {
      const [open1, closed, open2] = [bound(5), bound(1), bound(5)]
      await counters.add([closed], 1)
      expect(await counters.take([open1, closed, open2])).to.deep.equal([0, 600_000, 0])
      expect([await used(open1.id), await used(closed.id), await used(open2.id)]).to.deep.equal([0, 1, 0])
    })

    it('takes a point back only from the period in which it was counted and never goes below 0', async () => {
      const each = bound(5)
      const countedAt = service.deps.now()
      await counters.take([each])
      service.clock.advance(600_000)
      await counters.take([each])
      await other.giveBack([each], countedAt)
      expect(await used(each.id)).to.equal(1)
      await other.giveBack([each], service.deps.now())
      await other.giveBack([each])
      expect(await used(each.id)).to.equal(0)
      await counters.add([each], 4)
      await counters.forget(each)
      await counters.giveBack([each])
      expect(await counters.look(each, 0)).to.deep.equal({ used: 0, closedMs: 0 })
    })
  })
})
