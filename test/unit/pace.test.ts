import { createPacer } from '../../src/work/pace.ts'

const { now } = performance

describe('A batched clean-up', () => {
  let passedMs = 0
  let renewals = 0
  beforeEach(() => {
    passedMs = 0
    renewals = 0
    performance.now = () => passedMs
  })
  afterEach(() => void (performance.now = now))
  const renew = async () => void (renewals += 1)
  const nothing = () => Promise.resolve()

  it('renews its lease before a batch only if the last renewal was at least 5 s ago', async () => {
    const pace = createPacer(new AbortController().signal, renew)
    const seen: number[] = []
    for (const ms of [0, 4_999, 5_000, 9_999, 11_000]) {
      passedMs = ms
      await pace(async () => void seen.push(renewals))
    }
    expect(seen).to.deep.equal([0, 0, 1, 1, 2])
    expect(renewals).to.equal(2)
  })

  it('renews its lease after a batch that took longer than 5 s', async () => {
    // The abort ends the pause after the batch, which would take real time.
    const ending = new AbortController()
    const pace = createPacer(ending.signal, renew)
    const slow = pace(async () => {
      passedMs += 6_000
      ending.abort()
    })
    expect(await slow.catch((error: Error) => error.name)).to.equal('AbortError')
    expect(renewals).to.equal(1)
  })

  it('starts no batch after losing its lease', async () => {
    const pace = createPacer(new AbortController().signal, () => Promise.reject(new Error('taken over')))
    await pace(nothing)
    passedMs = 6_000
    let begun = 0
    const lost = pace(async () => void (begun += 1))
    expect(await lost.catch((error: Error) => error.message)).to.equal('taken over')
    expect(begun).to.equal(0)
  })
})
