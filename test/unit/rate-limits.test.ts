import { mock } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { expect } from 'chai'
import type { Response } from 'express'
import { limitUnknown } from '../../src/http/operations/limit-rate.ts'
import type { Addition, AddUp } from '../../src/security/rate-limits/add-up.ts'
import { createLines } from '../../src/security/rate-limits/lines.ts'
import { createRateLimits, type RateLimits } from '../../src/security/rate-limits/rate-limits.ts'

const at = new Date('2026-01-01T00:00:00.500Z')
const open = (perSecond: number, addUp: AddUp, now = () => at): RateLimits => {
  const limits = createRateLimits(perSecond, addUp, now)
  // Told and learnt when the test says so.
  limits.close()
  return limits
}
const away: AddUp = async () => null

/** Sums as Redis keeps them, for several processes. */
function sums() {
  const totals = new Map<string, number>()
  const trips: Addition[][] = []
  const addUp: AddUp = async (additions) => {
    trips.push([...additions])
    return additions.map(([name, by]) => {
      const sum = (totals.get(name) ?? 0) + by
      totals.set(name, sum)
      return sum
    })
  }
  return { addUp, trips }
}

const countOften = (limits: RateLimits, times: number) => {
  for (let counted = 0; counted < times; counted += 1) limits.count('key:a')
}

describe('Rate limits', () => {
  it('of several processes add up, each count being reported once', async () => {
    const { addUp, trips } = sums()
    const [one, other] = [open(100, addUp), open(100, addUp)]
    countOften(one, 60)
    await one.exchange()
    countOften(other, 10)
    await other.exchange()
    countOften(one, 5)
    await one.exchange()
    await one.exchange()
    expect(one.look('key:a').remaining).to.equal(25)
    expect(other.look('key:a').remaining).to.equal(30)
    expect(trips.map((trip) => trip.map(([, by]) => by))).to.deep.equal([[60], [10], [5]])
  })

  it('continue alone if the response of Redis is lost, whether or not it counted', async () => {
    const { addUp } = sums()
    const hears = [
      (additions: readonly Addition[], livesMs: number) => addUp(additions, livesMs).then(() => null),
      away,
      addUp,
    ]
    const limits = open(100, (additions, livesMs) => (hears.shift() ?? away)(additions, livesMs))
    for (let told = 0; told < 3; told += 1) {
      countOften(limits, 10)
      await limits.exchange()
    }
    expect(limits.look('key:a').remaining).to.equal(70)
  })

  it('are sent in one batch at a time, however slow Redis is, without losing counts meanwhile', async () => {
    const { addUp, trips } = sums()
    const answers: (() => void)[] = []
    const limits = open(100, async (additions, livesMs) => {
      const told = await addUp(additions, livesMs)
      await new Promise<void>((resolve) => answers.push(resolve))
      return told
    })
    countOften(limits, 10)
    const first = limits.exchange()
    countOften(limits, 5)
    const second = limits.exchange()
    await setImmediate()
    expect(trips).to.have.length(1)
    for (const answer of answers) answer()
    await Promise.all([first, second])
    expect(limits.look('key:a').remaining).to.equal(85)
  })

  it('use a new key in Redis each second, and start anew', async () => {
    const { addUp, trips } = sums()
    let now = at
    const limits = open(10, addUp, () => now)
    countOften(limits, 11)
    await limits.exchange()
    now = new Date(at.getTime() + 500)
    countOften(limits, 1)
    expect(limits.look('key:a').remaining).to.equal(9)
    await limits.exchange()
    const [first, second] = trips.flat().map(([name]) => Number.parseInt(name, 10))
    expect((second ?? 0) - (first ?? 0)).to.equal(1)
  })

  it('make concurrent lookups of one key wait, but none of them delays the next', async () => {
    const inLine = createLines()
    let most = 2
    const ends: (() => void)[] = []
    const come = () =>
      inLine(
        'a',
        () => {
          if (most === 0) throw new Error('closed')
          return most
        },
        () => new Promise<void>((resolve) => ends.push(resolve)),
      )
    const all = Array.from({ length: 6 }, come)
    const outcomes = Promise.allSettled(all)
    await setImmediate()
    expect(ends).to.have.length(2)
    ends.shift()?.()
    await setImmediate()
    expect(ends).to.have.length(2)
    most = 3
    ends.shift()?.()
    await setImmediate()
    expect(ends).to.have.length(3)
    most = 0
    for (const end of ends) end()
    expect((await outcomes).map(({ status }) => status).toSorted()).to.deep.equal([
      ...Array(5).fill('fulfilled'),
      'rejected',
    ])
  })

  it('do not look up a caller that waited too long', async () => {
    const deps = { rateLimits: open(5, away) }
    const passed = performance.now() - 1
    let looked = 0
    const refusal = await limitUnknown(deps, '192.0.2.1', {} as Response, passed, async () => {
      looked += 1
    }).catch((error: unknown) => error)
    expect(refusal).to.include({ code: 'SERVICE_UNAVAILABLE' })
    expect(looked).to.equal(0)
  })

  it('keep all counts of the current second, however slow the machine is', async () => {
    mock.timers.enable({ apis: ['setTimeout', 'Date'], now: at })
    const limits = open(1, away)
    countOften(limits, 1)
    mock.timers.tick(60_000)
    expect(limits.look('key:a').isOpen).to.equal(false)
    mock.timers.reset()
  })

  it('report no caller below 3 % to Redis, and at most a thousand callers in one batch', async () => {
    const { addUp, trips } = sums()
    const limits = open(100, addUp)
    for (let key = 0; key < 1500; key += 1) for (const _ of [1, 2]) limits.count(`key:${key}`)
    await limits.exchange()
    expect(trips).to.deep.equal([])
    for (let key = 0; key < 1500; key += 1) limits.count(`key:${key}`)
    await limits.exchange()
    await limits.exchange()
    await limits.exchange()
    expect(trips.map((trip) => trip.length)).to.deep.equal([1000, 500])
  })

  it('report a caller with its own limit by that limit', async () => {
    const { addUp, trips } = sums()
    const limits = open(100, addUp)
    for (let counted = 0; counted < 10; counted += 1) limits.count('key:large', 1000)
    for (let counted = 0; counted < 10; counted += 1) limits.count('key:small', 10)
    await limits.exchange()
    expect(trips).to.deep.equal([[[`${Math.floor(at.getTime() / 1000)}:key:small`, 10]]])
    expect(limits.look('key:large', 1000).remaining).to.equal(990)
    expect(limits.count('key:small', 10).isOpen).to.equal(false)
  })

  it('keep at most twenty thousand callers in a second, and admit all others', async () => {
    const limits = open(1, away)
    for (let address = 0; address < 20_000; address += 1) limits.count(`address:${address}`)
    expect(limits.look('address:19999')).to.deep.equal({ isOpen: false, remaining: 0, over: 0 })
    for (let sent = 0; sent < 3; sent += 1) expect(limits.count('address:beyond').isOpen).to.equal(true)
    expect(limits.look('address:beyond').isOpen).to.equal(true)
    expect(limits.count('address:7').isOpen).to.equal(false)
  })
})
