import { mock } from 'node:test'
import { expect } from 'chai'
import { Refusal } from '../../src/errors.ts'
import { createLimiter, type Limiter, maxWaiting, maxWaitMs } from '../../src/lists/limiter.ts'
import { createGate } from '../support/gate.ts'

const isHere = () => false

describe('The list limiter', () => {
  let limiter: Limiter
  /** The names of the work that has begun, in order. */
  let begun: string[]
  let ends: Map<string, () => void>
  beforeEach(() => {
    mock.timers.enable({ apis: ['setTimeout'] })
    limiter = createLimiter({ perOwner: 2, inAll: 3 })
    begun = []
    ends = new Map()
  })
  afterEach(() => mock.timers.reset())

  /** Runs work of an owner until the test ends it by its name. Resolves to the name, or to the refusal. */
  async function work(owner: string, name: string, isGone = isHere): Promise<unknown> {
    const gate = createGate()
    try {
      return await limiter.run(owner, isGone, async () => {
        begun.push(name)
        ends.set(name, gate.open)
        await gate.passed
        return name
      })
    } catch (error) {
      return error
    }
  }
  /** Starts work of the owner that each name begins with. */
  const start = (...names: string[]) => {
    for (const name of names) void work(name[0] ?? '', name)
  }
  /** Waits until all work that may begin has begun. */
  const settle = () => new Promise((resolve) => setImmediate(resolve))
  async function advance(ms: number): Promise<void> {
    await settle()
    mock.timers.tick(ms)
    await settle()
  }
  /** The outcome of work so far, or `waiting`. */
  const soFar = (some: Promise<unknown>) => Promise.race([some, settle().then(() => 'waiting')])
  async function end(name: string): Promise<void> {
    ends.get(name)?.()
    await settle()
  }

  it("rejects work after a short wait if its owner's share is used up, but still runs other owners' work", async () => {
    start('a1', 'a2')
    const refused = work('a', 'a3')
    await advance(maxWaitMs - 1)
    expect(await soFar(refused)).to.equal('waiting')
    await advance(1)
    const third = await soFar(refused)
    expect(third).to.be.instanceOf(Refusal)
    const details = { scope: 'lists', limit: 2 }
    expect((third as Refusal).extras).to.deep.include({ details, retryAfterSeconds: 1 })
    start('b1')
    await settle()
    expect(begun).to.deep.equal(['a1', 'a2', 'b1'])
  })

  it('runs waiting work whose slot becomes free in the moment in which its wait ends', async () => {
    start('a1', 'a2', 'a3')
    await settle()
    mock.timers.tick(maxWaitMs)
    await end('a1')
    expect(begun).to.deep.equal(['a1', 'a2', 'a3'])
  })

  it('runs waiting work as soon as its owner has a free slot', async () => {
    start('a1', 'a2')
    const third = work('a', 'a3')
    await settle()
    await end('a2')
    expect(begun).to.deep.equal(['a1', 'a2', 'a3'])
    await end('a3')
    expect(await third).to.equal('a3')
  })

  it('gives a free slot to the owner with the fewest slots or, in a tie, to the owner served least recently', async () => {
    start('a1', 'a2', 'b1', 'a3', 'a4', 'b2', 'c1', 'd1')
    await settle()
    for (const name of ['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'd1']) await end(name)
    expect(begun).to.deep.equal(['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'd1', 'a4'])
  })

  it("never rejects one owner's work because of other owners' work", async () => {
    start('a1', 'a2', 'b1')
    const waits = work('c', 'c1')
    for (let times = 0; times < 3; times += 1) await advance(maxWaitMs)
    expect(limiter.waiting()).to.equal(1)
    await end('a1')
    await end('c1')
    expect(await waits).to.equal('c1')
  })

  it('rejects work immediately if the owner already has the maximum amount of work waiting', async () => {
    const all = Array.from({ length: 2 + maxWaiting }, (_, index) => work('a', `a${index}`))
    await settle()
    expect([limiter.running(), limiter.waiting()]).to.deep.equal([2, maxWaiting])
    expect(await soFar(work('a', 'too many'))).to.be.instanceOf(Refusal)
    await advance(maxWaitMs)
    const refused = await Promise.all(all.slice(2))
    expect(refused.filter((each) => each instanceof Refusal)).to.have.lengthOf(maxWaiting)
    for (const name of ['a0', 'a1']) await end(name)
    expect([limiter.running(), limiter.waiting()]).to.deep.equal([0, 0])
  })

  it('withholds a freed slot for a while from the owner that used the slot, but not from other owners', async () => {
    const restMs = 1000
    limiter = createLimiter({ perOwner: 1, inAll: 9, restAfter: () => restMs })
    const run = (owner: string) => limiter.run(owner, isHere, () => Promise.resolve(owner))
    await run('a')
    expect(await run('b')).to.equal('b')
    const early = run('a').catch((error: unknown) => error)
    await advance(maxWaitMs)
    expect(await soFar(early)).to.be.instanceOf(Refusal)
    await advance(restMs - maxWaitMs - 1)
    const later = run('a')
    expect(await soFar(later)).to.equal('waiting')
    await advance(1)
    expect(await soFar(later)).to.equal('a')
  })

  it('starts no work for a disconnected caller, and frees a slot if the work that uses it fails', async () => {
    let isGone = false
    start('a1', 'a2')
    const left = work('a', 'left', () => isGone)
    const next = work('a', 'next')
    await settle()
    isGone = true
    await end('a1')
    expect(begun).to.deep.equal(['a1', 'a2', 'next'])
    expect(await left).to.be.instanceOf(Refusal)
    await end('next')
    await next
    await end('a2')
    const fault = new Error('MongoDB')
    const failed = limiter.run('a', isHere, () => Promise.reject(fault))
    expect(await failed.catch((error: unknown) => error)).to.equal(fault)
    expect([limiter.running(), limiter.waiting()]).to.deep.equal([0, 0])
  })
})
