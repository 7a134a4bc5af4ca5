import { setImmediate } from 'node:timers/promises'
import { expect } from 'chai'
import { createQuota, type Usage } from '../../src/quotas/quota.ts'
import { createGate } from '../support/gate.ts'

/** A quota over usage that the test sets, with a clock that the test sets and the counts that were made. */
function openQuota() {
  const stored = new Map<string, number>()
  const counts: string[] = []
  let elapsed = 0
  let gate: Promise<void> | null = null
  const count = async (businessId: string): Promise<Usage> => {
    counts.push(businessId)
    const used = stored.get(businessId) ?? 0
    await gate
    return { used, freeAt: null }
  }
  const quota = createQuota(count, () => elapsed)
  const store = (by: number, businessId = 'a') => stored.set(businessId, (stored.get(businessId) ?? 0) + by)
  /** A write that takes one and is stored. True if it was admitted. */
  const write = async (limit: number, businessId = 'a'): Promise<boolean> => {
    const taken = await quota.take(businessId, 'now', limit, 1)
    if (!taken.isTaken) return false
    store(1, businessId)
    taken.end()
    return true
  }
  return {
    quota,
    counts,
    store,
    write,
    pass: (ms: number) => void (elapsed += ms),
    /** Holds all counts that begin from now on until the returned function is called. */
    holdCounts(): () => void {
      const { passed, open } = createGate()
      gate = passed
      return open
    },
  }
}

/** Returns how many of these writes were admitted. */
const many = async (times: number, write: () => Promise<boolean>): Promise<number> => {
  let admitted = 0
  for (let made = 0; made < times; made += 1) if (await write()) admitted += 1
  return admitted
}

describe('The quota check', () => {
  it('admits exactly as many writes in one process as the limit allows, however many arrive', async () => {
    const { write } = openQuota()
    expect(await many(1500, () => write(1000))).to.equal(1000)
  })

  it('does not make writes wait for a count until the quota is used up', async () => {
    const { write, holdCounts, counts } = openQuota()
    const release = holdCounts()
    expect(await many(50, () => write(1000))).to.equal(50)
    expect(counts).to.have.length(1)
    release()
  })

  it('counts the stored documents every ten seconds during steady writes, and every second once the quota is full', async () => {
    const { write, counts, pass } = openQuota()
    await many(100, () => write(100_000))
    await setImmediate()
    expect(counts).to.have.length(1)
    for (let second = 0; second < 100; second += 1) {
      pass(1000)
      await many(10, () => write(100_000))
      await setImmediate()
    }
    expect(counts.length).to.be.within(9, 12)

    const full = openQuota()
    await many(1000, () => full.write(1000))
    const before = full.counts.length
    for (let tenth = 0; tenth < 100; tenth += 1) {
      full.pass(100)
      expect(await full.write(1000)).to.equal(false)
    }
    expect(full.counts.length - before).to.be.within(9, 11)
  })

  it('admits another write within a second after part of the quota becomes free', async () => {
    const { write, store, pass } = openQuota()
    await many(20, () => write(20))
    expect(await write(20)).to.equal(false)
    store(-1)
    pass(1000)
    expect([await write(20), await write(20)]).to.deep.equal([true, false])
  })

  it("takes other processes' writes into account from the next count onwards", async () => {
    const { write, store, pass } = openQuota()
    await many(20, () => write(1000))
    store(900)
    pass(10_001)
    await many(1, () => write(1000))
    await setImmediate()
    expect(await many(500, () => write(1000))).to.equal(79)
  })

  it('also counts writes that are in progress during a count', async () => {
    const { quota, store, write, pass } = openQuota()
    const running = await Promise.all([1, 2, 3].map(() => quota.take('a', 'now', 5, 1)))
    pass(1000)
    expect(await many(5, () => write(5))).to.equal(2)
    for (const taken of running) {
      store(1)
      if (taken.isTaken) taken.end()
    }
    pass(1000)
    expect(await write(5)).to.equal(false)
  })

  it('counts only once for all writes that arrive at the same time while the quota is full', async () => {
    const { write, store, counts, holdCounts, pass } = openQuota()
    await many(10, () => write(10))
    await write(10)
    store(-2)
    pass(1000)
    const before = counts.length
    const release = holdCounts()
    const outcomes = Promise.all(Array.from({ length: 20 }, () => write(10)))
    await setImmediate()
    release()
    expect((await outcomes).filter(Boolean)).to.have.length(2)
    expect(counts.length - before).to.equal(1)
  })

  it('does not reject a write for exceeding the quota if the count has failed', async () => {
    let fails = true
    const count = async (): Promise<Usage> => {
      if (fails) throw new Error('away')
      return { used: 0, freeAt: null }
    }
    const quota = createQuota(count, () => 0)
    const isTaken = async (businessId: string) => (await quota.take(businessId, 'now', 1, 1)).isTaken
    expect(await isTaken('a')).to.equal(true)
    expect(await isTaken('a').catch((error: Error) => error.message)).to.equal('away')
    fails = false
    expect(await isTaken('b')).to.equal(true)
  })

  it('starts counting from zero in a new period', async () => {
    const { quota } = openQuota()
    const isTaken = async (day: string) => (await quota.take('a', day, 1, 1)).isTaken
    const days = [await isTaken('monday'), await isTaken('monday'), await isTaken('tuesday')]
    expect(days).to.deep.equal([true, false, true])
  })

  it('remembers the counts of ten thousand businesses, and counts again for a business that it has forgotten', async () => {
    const { write, counts } = openQuota()
    await write(5, 'first')
    for (let index = 0; index < 10_000; index += 1) await write(5, `b${index}`)
    const before = counts.length
    expect(await many(5, () => write(5, 'first'))).to.equal(4)
    expect(counts.slice(before)).to.include('first')
  })

  it('can list the businesses that have used up the largest share of their quotas, with figures that are at most a minute old', async () => {
    const { quota, write, store, counts, pass } = openQuota()
    await many(9, () => write(10, 'nine'))
    await many(4, () => write(5, 'four of five'))
    await many(20, () => write(1000, 'twenty'))
    await setImmediate()
    pass(60_001)
    store(-8, 'nine')
    const before = counts.length
    expect(await quota.fullest(2)).to.deep.equal([
      { businessId: 'four of five', used: 4, limit: 5 },
      { businessId: 'nine', used: 1, limit: 10 },
    ])
    expect(counts.length - before).to.equal(2)
  })
})
