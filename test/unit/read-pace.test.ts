import { setTimeout as pause } from 'node:timers/promises'
import { expect } from 'chai'
import { Refusal } from '../../src/errors.ts'
import { bytesPerSecond, createReadPace, type ReadPace } from '../../src/http/responses/read-pace.ts'

describe('The pace limit for reads', function () {
  this.timeout(5_000)
  let pace: ReadPace
  beforeEach(() => {
    pace = createReadPace(() => performance.now())
  })
  /** Reads a response of this size for business a. */
  const read = async (bytes: number) => (await pace.take('a'))(bytes)
  const refusalOf = (): Promise<Refusal> =>
    pace.take('a').then(
      () => expect.fail('the read was admitted'),
      (error: Refusal) => error,
    )

  it('does not delay a business that has had no large responses', async () => {
    await read(bytesPerSecond)
    const began = performance.now()
    for (let n = 0; n < 100; n += 1) (await pace.take('b'))(100_000)
    expect(performance.now() - began).to.be.below(500)
  })

  it("delays a business's next read for as long as its large responses would take at 16 MiB per second", async () => {
    const began = performance.now()
    const [one, other] = await Promise.all([pace.take('a'), pace.take('a')])
    one(bytesPerSecond / 4)
    other(bytesPerSecond / 4)
    await pace.take('a')
    expect(performance.now() - began).to.be.at.least(499)
  })

  it("runs a business's reads one at a time and in order after a large response", async () => {
    await read(300_000)
    const first = await pace.take('a')
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
    const began = performance.now()
    await Promise.all(Array.from({ length: 5 }, () => pace.pass('a', bytesPerSecond / 8)))
    expect(performance.now() - began).to.be.at.least(499)
  })

  it("does not delay work on small documents or other businesses' documents", async () => {
    await pace.pass('a', bytesPerSecond)
    const began = performance.now()
    await pace.pass('a', 10_000)
    await pace.pass('b', bytesPerSecond)
    expect(performance.now() - began).to.be.below(500)
  })

  it('rejects a read with SERVICE_UNAVAILABLE if the read has waited two seconds for a previous one to end', async () => {
    await read(300_000)
    await pace.take('a')
    const refusal = await refusalOf()
    expect(refusal).to.be.instanceOf(Refusal)
    expect(refusal.code).to.equal('SERVICE_UNAVAILABLE')
  })

  it('rejects a read with RATE_LIMITED after a delay of two seconds, even if the process is busy when the delay ends', async () => {
    await read(bytesPerSecond * 2.05)
    const refusal = refusalOf()
    await pause(1_900)
    const busyEndsAt = performance.now() + 300
    while (performance.now() < busyEndsAt);
    expect((await refusal).code).to.equal('RATE_LIMITED')
  })

  it('rejects a read after a wait of two seconds, or immediately if 100 other reads are already waiting', async () => {
    await read(bytesPerSecond * 10)
    const details = { scope: 'responses', limit: bytesPerSecond, windowSeconds: 1 }
    const measure = async () => {
      const began = performance.now()
      const refusal = await refusalOf()
      expect(refusal).to.be.instanceOf(Refusal)
      expect(refusal.extras.details).to.deep.equal(details)
      return performance.now() - began
    }
    const refusals = await Promise.all(Array.from({ length: 101 }, measure))
    expect(refusals.filter((waitedMs) => waitedMs >= 1_999)).to.have.length(100)
  })
})
