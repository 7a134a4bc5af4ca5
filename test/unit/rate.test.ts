import { mock } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import {
  type AddToSums,
  createRateLimits,
  type RateLimitOwner,
  type RateLimits,
} from '../../src/limits/rate.ts'

const at = new Date('2026-01-01T00:00:00.500Z')
const open = (perSecond: number, addToSums: AddToSums, now = () => at): RateLimits => {
  const limits = createRateLimits(perSecond, addToSums, now)
  limits.close()
  return limits
}
const away: AddToSums = async () => null

function sums() {
  const totals = new Map<string, number>()
  const batches: Parameters<AddToSums>[0][] = []
  const addToSums: AddToSums = async (additions) => {
    batches.push([...additions])
    return additions.map(([name, by]) => {
      const sum = (totals.get(name) ?? 0) + by
      totals.set(name, sum)
      return sum
    })
  }
  return { addToSums, batches }
}

const countOften = (limits: RateLimits, times: number, key: RateLimitOwner = 'key:a', limit?: number) => {
  for (let counted = 0; counted < times; counted += 1) limits.count(key, limit)
}

describe('The rate limiter', () => {
  it('adds up the counts of several processes, each of which reports every count once', async () => {
    const { addToSums, batches } = sums()
    const [one, other] = [open(100, addToSums), open(100, addToSums)]
    countOften(one, 60)
    await one.exchange()
    countOften(other, 10)
    await other.exchange()
    countOften(one, 5)
    await one.exchange()
    await one.exchange()
    expect(one.look('key:a').remaining).to.equal(25)
    expect(other.look('key:a').remaining).to.equal(30)
    expect(batches.map((batch) => batch.map(([, by]) => by))).to.deep.equal([[60], [10], [5]])
  })

  it('assumes without Redis that the other processes of its container count as much', async () => {
    const { addToSums } = sums()
    const responses = [away]
    const limits = createRateLimits(
      100,
      (...all) => (responses.shift() ?? addToSums)(...all),
      () => at,
      4,
    )
    limits.close()
    countOften(limits, 10)
    await limits.exchange()
    countOften(limits, 10)
    expect(limits.look('key:a').remaining).to.equal(100 - 10 - 40)
    await limits.exchange()
    countOften(limits, 10)
    expect(limits.look('key:a').remaining).to.equal(100 - 10 - 40 - 10)
  })

  it('keeps working if Redis does not respond, whether or not Redis has received the counts', async () => {
    const { addToSums } = sums()
    const lost: AddToSums = (additions, livesMs) => addToSums(additions, livesMs).then(() => null)
    const responses = [lost, away, addToSums]
    const limits = open(100, (additions, livesMs) => (responses.shift() ?? away)(additions, livesMs))
    for (let exchange = 0; exchange < 3; exchange += 1) {
      countOften(limits, 10)
      await limits.exchange()
    }
    expect(limits.look('key:a').remaining).to.equal(70)
  })

  it('reports one batch at a time and loses no count, however slow Redis is', async () => {
    const { addToSums, batches } = sums()
    const respond: (() => void)[] = []
    const limits = open(100, async (additions, livesMs) => {
      const totals = await addToSums(additions, livesMs)
      await new Promise<void>((resolve) => respond.push(resolve))
      return totals
    })
    countOften(limits, 10)
    const first = limits.exchange()
    countOften(limits, 5)
    const second = limits.exchange()
    await setImmediate()
    expect(batches).to.have.length(1)
    for (const each of respond) each()
    await Promise.all([first, second])
    expect(limits.look('key:a').remaining).to.equal(85)
  })

  it('starts counting from zero each second under a new Redis key', async () => {
    const { addToSums, batches } = sums()
    let now = at
    const limits = open(10, addToSums, () => now)
    countOften(limits, 11)
    await limits.exchange()
    now = new Date(at.getTime() + 500)
    countOften(limits, 1)
    expect(limits.look('key:a').remaining).to.equal(9)
    await limits.exchange()
    const [first, second] = batches.flat().map(([name]) => Number.parseInt(name, 10))
    expect((second ?? 0) - (first ?? 0)).to.equal(1)
  })

  it("keeps the current second's counts, even if timers fire as if a minute had passed", async () => {
    mock.timers.enable({ apis: ['setTimeout', 'Date'], now: at })
    const limits = open(1, away)
    countOften(limits, 1)
    mock.timers.tick(60_000)
    expect(limits.look('key:a').isOpen).to.equal(false)
    mock.timers.reset()
  })

  it('reports only callers that reach 3 % of their limit, and at most a thousand per batch', async () => {
    const { addToSums, batches } = sums()
    const limits = open(100, addToSums)
    for (let key = 0; key < 1500; key += 1) countOften(limits, 2, `key:${key}`)
    await limits.exchange()
    expect(batches).to.deep.equal([])
    for (let key = 0; key < 1500; key += 1) limits.count(`key:${key}`)
    for (const _again of [1, 2, 3]) await limits.exchange()
    expect(batches.map((batch) => batch.length)).to.deep.equal([1000, 500])
  })

  it("uses a caller's own limit, if there is one, to decide whether to report the caller to Redis", async () => {
    const { addToSums, batches } = sums()
    const limits = open(100, addToSums)
    countOften(limits, 10, 'key:large', 1000)
    countOften(limits, 10, 'key:small', 10)
    await limits.exchange()
    expect(batches).to.deep.equal([[[`${Math.floor(at.getTime() / 1000)}:key:small`, 10]]])
    expect(limits.look('key:large', 1000).remaining).to.equal(990)
    expect(limits.count('key:small', 10).isOpen).to.equal(false)
  })

  it('tracks at most twenty thousand callers per second and admits all others', async () => {
    const limits = open(1, away)
    for (let address = 0; address < 20_000; address += 1) limits.count(`address:${address}`)
    expect(limits.look('address:19999')).to.deep.equal({ isOpen: false, remaining: 0, over: 0 })
    for (let sent = 0; sent < 3; sent += 1) expect(limits.count('address:beyond').isOpen).to.equal(true)
    expect(limits.look('address:beyond').isOpen).to.equal(true)
    expect(limits.count('address:7').isOpen).to.equal(false)
  })
})
