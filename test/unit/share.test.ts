import type { LimitedResource } from '../../src/limits/limit.ts'
import { createShare, type Share } from '../../src/limits/share.ts'
import { Refusal } from '../../src/platform/errors.ts'
import { createTime } from '../support/time.ts'

const about = { what: 'something', gets: 'a wait' }
const words = { scope: 'lists', message: 'Two at a time.' } as const
const two = { ...about, total: 3, parts: [{ owner: 'business', max: 2 }], ...words } satisfies LimitedResource
const memory = { ...about, total: 400, parts: [{ owner: 'business', max: 100 }] } satisfies LimitedResource

describe('A shared capacity limit', () => {
  let time: ReturnType<typeof createTime>
  beforeEach(() => void (time = createTime()))

  const settle = () => new Promise((resolve) => setImmediate(resolve))

  describe('on slots', () => {
    let share: Share<'slots'>
    let granted: string[]
    let frees: Map<string, () => void>
    beforeEach(() => {
      share = createShare({ slots: two }, time)
      granted = []
      frees = new Map()
    })

    async function take(name: string, waitMs = 1_000): Promise<boolean> {
      const held = await share.take([name[0] ?? ''], { slots: 1 }, waitMs)
      if (held === null) return false
      granted.push(name)
      frees.set(name, held.free)
      return true
    }
    const start = (...names: string[]) => {
      for (const name of names) void take(name)
    }
    async function free(...names: string[]): Promise<void> {
      for (const name of names) {
        await settle()
        frees.get(name)?.()
      }
      await settle()
    }

    it("reserves each owner's part, and gives the remaining slots to others", async () => {
      start('a1', 'a2', 'a3', 'b1', 'b2')
      await settle()
      expect(granted).to.deep.equal(['a1', 'a2', 'b1'])
      expect([share.used().slots, share.held('slots', 'a')]).to.deep.equal([3, 2])
    })

    it('grants a freed slot to the waiting owner that holds least, then to the one served longest ago', async () => {
      start('a1', 'a2', 'b1', 'a3', 'a4', 'b2', 'c1', 'd1')
      await free('a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'd1')
      expect(granted).to.deep.equal(['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'd1', 'a4'])
    })

    it('lets a call wait only for the given time', async () => {
      start('a1', 'a2')
      const [short, long] = [take('a3', 100), take('a4', 200)]
      await time.advance(100)
      expect(await short).to.equal(false)
      await free('a1')
      expect(await long).to.equal(true)
      expect(time.timers()).to.equal(0)
    })

    it('lets at most 100 calls per owner wait', async () => {
      start('a1', 'a2')
      const all = Array.from({ length: 101 }, (_, n) => take(`a${n + 3}`))
      expect(await all.at(-1)).to.equal(false)
      await time.advance(1_000)
      expect(await Promise.all(all)).to.deep.equal(Array(101).fill(false))
    })

    it('lets an owner wait for slots that others hold but refuses one that has used up its own share', async () => {
      start('a1', 'a2', 'b1')
      await settle()
      const own = share.refusal(['a'], { slots: 1 })
      expect(own).to.be.instanceOf(Refusal).and.include({ code: 'RATE_LIMITED', message: 'Two at a time.' })
      expect(own.extras).to.deep.include({ details: { scope: 'lists', limit: 2 }, retryAfterSeconds: 1 })
      expect(share.refusal(['c'], { slots: 1 })).to.include({ code: 'SERVICE_UNAVAILABLE' })
    })
  })

  it("lets an endpoint's calls overtake those of an endpoint that has reached its limit", async () => {
    const parts = [
      { owner: 'business', max: 10 },
      { owner: 'endpoint', max: (key: string) => (key === 'x' ? 1 : 3), range: '' },
    ] as const
    const share = createShare({ slots: { ...about, total: 100, parts: [...parts] } }, time)
    const first = share.takeNow(['a', 'x'], { slots: 1 })
    const blocked = share.take(['a', 'x'], { slots: 1 }, 1_000)
    for (const _each of [1, 2, 3]) expect(share.takeNow(['a', 'y'], { slots: 1 })).to.not.equal(null)
    expect(share.left('slots', ['a', 'y'])).to.equal(0)
    expect(share.left('slots', ['a', 'z'])).to.equal(3)
    first?.free()
    expect(await blocked).to.not.equal(null)
  })

  describe('on memory', () => {
    let share: Share<'memory' | 'reads'>
    beforeEach(() => void (share = createShare({ memory, reads: { ...two, total: Infinity } }, time)))

    it("grants in order of arrival, so small calls don't starve a large one", async () => {
      const first = share.takeNow(['a'], { memory: 60 })
      const got: string[] = []
      const large = share.take(['a'], { memory: 90 }, 1_000).then(() => got.push('large'))
      void share.take(['a'], { memory: 30 }, 1_000).then(() => got.push('small'))
      expect(first?.resize({ memory: 20 })).to.equal(true)
      expect(first?.resize({ memory: 10 })).to.equal(true)
      await large
      expect(got).to.deep.equal(['large'])
      expect(share.used().memory).to.equal(100)
    })

    it('grants a call nothing until all of its resources are available', async () => {
      for (const _each of [1, 2]) share.takeNow(['a'], { reads: 1 })
      expect(share.takeNow(['a'], { reads: 1, memory: 10 })).to.equal(null)
      expect(share.used().memory).to.equal(0)
      expect(share.blockOf(['a'], { reads: 1, memory: 10 })).to.deep.equal({ name: 'reads', level: 0 })
    })

    it("doesn't make calls wait for a resource that they don't need", () => {
      for (const _each of [1, 2]) share.takeNow(['a'], { reads: 1 })
      void share.take(['a'], { reads: 1 }, 1_000)
      expect(share.takeNow(['a'], { memory: 10 })).to.not.equal(null)
    })

    it("counts usage that can't be refused, even beyond every limit", () => {
      const held = share.force(['a'], { memory: 500 })
      expect([share.held('memory', 'a'), share.largest('memory')]).to.deep.equal([500, 'a'])
      expect(share.takeNow(['b'], { memory: 10 })).to.equal(null)
      held.free()
      expect([share.used().memory, share.largest('memory')]).to.deep.equal([0, null])
    })

    it('switches a holder to another resource once that is free and keeps what it holds until then', () => {
      const slow = [1, 2].map(() => share.takeNow(['a'], { reads: 1 }))
      const moving = [1, 2].map(() => share.takeNow(['a'], { memory: 10 }))
      for (const each of moving) each?.moveTo({ memory: 0, reads: 1 })
      expect([share.used().memory, share.used().reads]).to.deep.equal([20, 2])
      slow[0]?.free()
      expect([share.used().memory, share.used().reads]).to.deep.equal([10, 2])
      moving[1]?.free()
      slow[1]?.free()
      expect([share.used().memory, share.used().reads, share.waiting('a')]).to.deep.equal([0, 1, 0])
    })

    it('ranks switching owners by how much of the new resource they hold', () => {
      share = createShare({ memory, reads: two }, time)
      const busy = [1, 2].map(() => share.takeNow(['c'], { reads: 1 }))
      share.takeNow(['b'], { reads: 1 })
      const [less, more] = [share.force(['b'], { memory: 10 }), share.force(['a'], { memory: 300 })]
      for (const each of [less, more]) each.moveTo({ memory: 0, reads: 1 })
      busy[0]?.free()
      expect([share.held('reads', 'a'), share.held('reads', 'b')]).to.deep.equal([1, 1])
    })
  })
})
