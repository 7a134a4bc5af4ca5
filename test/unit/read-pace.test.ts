import { mock } from 'node:test'
import { expect } from 'chai'
import { Refusal } from '../../src/errors.ts'
import { bytesPerSecond, createReadPace, type ReadPace } from '../../src/http/responses/read-pace.ts'

describe('The pace limit for reads', () => {
  let pace: ReadPace
  let elapsedMs: number
  beforeEach(() => {
    elapsedMs = 0
    mock.timers.enable({ apis: ['setTimeout'] })
    pace = createReadPace(() => elapsedMs)
  })
  afterEach(() => mock.timers.reset())

  const settle = () => new Promise((resolve) => setImmediate(resolve))
  async function advance(ms: number): Promise<void> {
    elapsedMs += ms
    mock.timers.tick(ms)
    await settle()
  }
  /** Reads a response of this size for business a. */
  const read = async (bytes: number) => (await pace.take('a'))(bytes)
  /** Records when work begins, or is refused. */
  function watch(work: Promise<unknown>) {
    const seen: { atMs: number | null; refusal: unknown } = { atMs: null, refusal: null }
    void work
      .catch((refusal: unknown) => Object.assign(seen, { refusal }))
      .then(() => Object.assign(seen, { atMs: elapsedMs }))
    return seen
  }

  it('does not delay a business that has had no large responses', async () => {
    await read(bytesPerSecond)
    for (let n = 0; n < 100; n += 1) (await pace.take('b'))(100_000)
    expect(elapsedMs).to.equal(0)
  })

  it("delays a business's next read for as long as its large responses would take at 16 MiB per second", async () => {
    const [one, other] = await Promise.all([pace.take('a'), pace.take('a')])
    one(bytesPerSecond / 4)
    other(bytesPerSecond / 4)
    const next = watch(pace.take('a'))
    await advance(499)
    expect(next.atMs).to.equal(null)
    await advance(1)
    expect(next.atMs).to.equal(500)
  })

  it("runs a business's reads one at a time and in order after a large response", async () => {
    await read(300_000)
    const taken = pace.take('a')
    await advance(20)
    const first = await taken
    const begun: string[] = []
    const second = pace.take('a').then((done) => (begun.push('second'), done))
    const third = pace.take('a').then((done) => (begun.push('third'), done))
    await pace.take('b')
    expect(begun).to.deep.equal([])
    first(0)
    ;(await second)(0)
    ;(await third)(0)
    expect(begun).to.deep.equal(['second', 'third'])
  })

  it('delays work on documents whose size is known in advance, even if all of the work starts at once', async () => {
    const passes = Array.from({ length: 5 }, () => watch(pace.pass('a', bytesPerSecond / 8)))
    await settle()
    for (let ms = 0; ms < 4; ms += 1) await advance(125)
    expect(passes.map(({ atMs }) => atMs)).to.deep.equal([0, 125, 250, 375, 500])
  })

  it("does not delay work on small documents or other businesses' documents", async () => {
    await pace.pass('a', bytesPerSecond)
    await pace.pass('a', 10_000)
    await pace.pass('b', bytesPerSecond)
    expect(elapsedMs).to.equal(0)
  })

  it('rejects a read with SERVICE_UNAVAILABLE if the read has waited two seconds for a previous one to end', async () => {
    await read(300_000)
    void pace.take('a')
    await advance(20)
    const seen = watch(pace.take('a'))
    await advance(1999)
    expect(seen.refusal).to.equal(null)
    await advance(1)
    expect(seen.refusal).to.be.instanceOf(Refusal).and.include({ code: 'SERVICE_UNAVAILABLE' })
  })

  it('rejects a read with RATE_LIMITED after a delay of two seconds, even if the process is busy when the delay ends', async () => {
    await read(bytesPerSecond * 2.05)
    const seen = watch(pace.take('a'))
    elapsedMs = 2200
    mock.timers.tick(2000)
    await settle()
    expect(seen.refusal).to.include({ code: 'RATE_LIMITED' })
  })

  it('rejects a read after a wait of two seconds, or immediately if 100 other reads are already waiting', async () => {
    await read(bytesPerSecond * 10)
    const all = Array.from({ length: 101 }, () => watch(pace.take('a')))
    await settle()
    await advance(1999)
    await advance(1)
    expect(all.map(({ atMs }) => atMs)).to.deep.equal([...Array(100).fill(2000), 0])
    const details = { scope: 'responses', limit: bytesPerSecond, windowSeconds: 1 }
    for (const { refusal } of all)
      expect((refusal as Refusal).extras).to.deep.include({ details, retryAfterSeconds: 1 })
  })
})
