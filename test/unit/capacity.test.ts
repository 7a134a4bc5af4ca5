import { EventEmitter } from 'node:events'
import type { ServerResponse } from 'node:http'
import { mock } from 'node:test'
import { maxItemBytes } from '../../src/http/responses/largest.ts'
import * as limits from '../../src/limits/capacity.ts'
import { divideLimits, type LimitedResource } from '../../src/limits/limit.ts'
import { createRequestMemory, memoryPerBodyByte, type RequestMemory } from '../../src/limits/memory.ts'
import { createTime } from '../support/time.ts'

const { readBytesPerSecond, readWaitMs, maxBusinessBytes } = limits
const kib = 1024
type Limits = Record<string, LimitedResource>

class Response extends EventEmitter {
  closed = false
  destroy() {
    if (this.closed) return
    this.closed = true
    this.emit('close')
  }
}
const response = () => new Response() as unknown as ServerResponse

describe('A capacity that several processes divide', () => {
  const divided = (processes: number) =>
    divideLimits(
      limits.capacityLimits(() => 1),
      processes,
    )
  const largest = Math.max(...Object.values(maxItemBytes).filter((bytes) => bytes < 512 * kib))

  it('adds up to that of one process', () => {
    for (const [name, { total }] of Object.entries(limits.capacityLimits(() => 1) as Limits))
      expect((divided(2) as Limits)[name]?.total, name).to.equal(total && total / 2)
  })

  it('still fits the largest page, the largest import and what merchants were told', () => {
    for (const processes of [2, 4, 32]) {
      const { memory, lists, exports: downloads, queries, polls, tests } = divided(processes)
      const [{ max }] = memory.parts
      expect(max)
        .to.be.at.least(100 * 2 * largest)
        .and.at.least(8 * 1024 * kib * memoryPerBodyByte.csv)
      const capacity = limits.createCapacity(createTime(), processes)
      expect(capacity.takeNow(['a'], { memory: max })).to.not.equal(null)
      const perBusiness = [lists, downloads, queries, polls, tests].map(({ parts }) => parts[0].max)
      expect(perBusiness).to.deep.equal([2, 2, 2, 5, 5])
    }
  })
})

describe("A process's capacity", () => {
  let time: ReturnType<typeof createTime>
  let capacity: limits.Capacity
  beforeEach(() => {
    time = createTime()
    capacity = limits.createCapacity(time)
  })

  describe('for reads', () => {
    async function read(bytes: number, by = 'a'): Promise<void> {
      capacity.endRead(by, await capacity.wait(by, { reads: 1 }), { bytes, tookMs: 0 })
    }
    function watch(work: Promise<unknown>) {
      const seen: { atMs: number | null; refusal: unknown } = { atMs: null, refusal: null }
      void work
        .catch((refusal: unknown) => Object.assign(seen, { refusal }))
        .then(() => Object.assign(seen, { atMs: time.elapsedMs() }))
      return seen
    }

    it("delays a business's next read by as long as its last large response takes at 16 MiB per second", async () => {
      await read(readBytesPerSecond / 2)
      const next = watch(capacity.wait('a', { reads: 1 }))
      await time.advance(499)
      expect(next.atMs).to.equal(null)
      await time.advance(1)
      expect(next.atMs).to.equal(500)
    })

    it("runs a business's reads one at a time for 10 minutes after a large response", async () => {
      await read(300_000)
      await time.advance(20)
      const first = await capacity.wait('a', { reads: 1 })
      expect(capacity.takeNow(['a'], { reads: 1 })).to.equal(null)
      first.free()
      await time.advance(600_000)
      expect([1, 2].map(() => capacity.takeNow(['a'], { reads: 1 }))).to.not.include(null)
    })

    it('delays work whose size is known in advance, even if all of it starts at once', async () => {
      const works = Array.from({ length: 5 }, () => watch(capacity.paceWork('a', readBytesPerSecond / 8)))
      await time.advance(0)
      for (let n = 1; n < 5; n += 1) await time.advance(125)
      expect(works.map(({ atMs }) => atMs)).to.deep.equal([0, 125, 250, 375, 500])
    })

    it('never delays work on small documents or for other businesses', async () => {
      await read(readBytesPerSecond)
      for (let n = 0; n < 100; n += 1) await read(100_000, 'b')
      await capacity.paceWork('c', readBytesPerSecond)
      await capacity.paceWork('c', 10_000)
      await capacity.paceWork('b', readBytesPerSecond)
      expect(time.elapsedMs()).to.equal(0)
    })

    it('refuses a read after two seconds of waiting, or immediately if 100 others are waiting', async () => {
      await read(readBytesPerSecond * 10)
      const all = Array.from({ length: 101 }, () => watch(capacity.wait('a', { reads: 1 })))
      await time.advance(0)
      await time.advance(readWaitMs)
      expect(all.map(({ atMs }) => atMs)).to.deep.equal([...Array(100).fill(2000), 0])
      const details = { scope: 'responses', limit: readBytesPerSecond }
      for (const { refusal } of all)
        expect(refusal).to.have.property('extras').that.deep.includes({ details })
    })

    it("withholds a list's slot from its business for a while, but not from others", async () => {
      const held = [await capacity.wait('a', { lists: 1 }), await capacity.wait('a', { lists: 1 })]
      for (const each of held) capacity.endRead('a', each, { bytes: 0, tookMs: 60 })
      expect(capacity.takeNow(['a'], { lists: 1 })).to.equal(null)
      expect(capacity.takeNow(['b'], { lists: 1 })).to.not.equal(null)
      await time.advance(150)
      expect(capacity.takeNow(['a'], { lists: 1 })).to.not.equal(null)
    })
  })

  describe('for responses', () => {
    let memory: RequestMemory
    const taken = (by?: string) => (by === undefined ? capacity.used().memory : capacity.held('memory', by))
    const reserve = (by: string, bytes: number, to = response()) => memory.reserve(by, { memory: bytes }, to)
    beforeEach(() => void (memory = createRequestMemory(capacity)))

    it("reserves at most one business's share for a response, and nothing up to 16 KiB", async () => {
      const reserved = await reserve('a', 2 * maxBusinessBytes)
      expect(taken()).to.equal(maxBusinessBytes)
      reserved.built(16 * kib)
      expect(taken()).to.equal(0)
      memory.count('a', 16 * kib, response())
      expect(taken()).to.equal(0)
    })

    it('keeps memory reserved until the work has ended and the connection is closed', async () => {
      const gone = response()
      const reserved = await reserve('a', 50 * kib, gone)
      let end: () => void = () => undefined
      const work = reserved.during(() => new Promise<void>((resolve) => (end = resolve)))
      gone.destroy()
      expect(taken()).to.equal(50 * kib)
      end()
      await work
      expect(taken()).to.equal(0)
    })

    it('releases the memory of each part once the client has read it', async () => {
      const reserved = await reserve('a', 500 * kib)
      reserved.built(200 * kib)
      reserved.wasRead(64 * kib)
      expect(taken()).to.equal(136 * kib)
    })

    it("skips a disconnected client's read and ignores the response to its write", async () => {
      const gone = response()
      gone.destroy()
      memory.count('a', 50 * kib, gone)
      const refused = await reserve('a', 50 * kib, gone).catch((error: unknown) => error)
      expect(refused).to.include({ code: 'SERVICE_UNAVAILABLE' })
      expect(taken()).to.equal(0)
    })

    it("closes the oldest responses of a business that doesn't read the responses to its writes", () => {
      const responses = Array.from({ length: 5 }, response)
      for (const each of responses) memory.count('a', maxBusinessBytes * 0.3, each)
      expect(responses.map(({ closed }) => closed)).to.deep.equal([true, true, false, false, false])
      expect(taken()).to.be.closeTo(maxBusinessBytes * 0.9, 10)
    })

    it("closes a business's stalled response to free memory for one that uses less", async () => {
      const stalled = await Promise.all(
        ['a', 'b', 'c', 'd'].map(async (by) => {
          const stalling = response()
          capacity.force([by], { memory: 1 })
          const reserved = await reserve(by, maxBusinessBytes / 2, stalling)
          reserved.built(maxBusinessBytes / 2)
          memory.count(by, maxBusinessBytes / 2, response())
          return stalling
        }),
      )
      const now = mock.method(performance, 'now', () => Number.MAX_SAFE_INTEGER)
      await reserve('e', 50 * kib)
      now.mock.restore()
      expect(stalled.filter(({ closed }) => closed).length).to.be.at.least(1)
      expect(taken('e')).to.equal(50 * kib)
    })

    it("releases a body's memory once, when the last task that uses it has ended", async () => {
      const body = memory.body('a', 'json', 100 * kib) ?? expect.fail()
      expect(taken()).to.equal(2_400 * kib)
      body.keep(50 * kib)
      expect(taken()).to.equal(1_200 * kib)
      let end: (error: Error) => void = () => undefined
      const late = new Promise<void>((_, reject) => (end = reject))
      const request = body.during(async () => {
        body.during(() => late).catch(() => undefined)
        throw new Error('too late')
      })
      expect(await request.catch(({ message }: Error) => message)).to.equal('too late')
      expect(taken()).to.equal(1_200 * kib)
      end(new Error('gone'))
      await new Promise(setImmediate)
      expect(taken()).to.equal(0)
    })
  })
})
