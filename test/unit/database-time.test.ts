import { createDatabaseTime } from '../../src/mongo/database-time.ts'

const hourMs = 3_600_000
const startMs = Date.parse('2026-11-21T12:00:00.000Z')

function openClocks() {
  const clocks = { mongoMs: startMs, wallMs: startMs, monotonicMs: 5000 }
  const halves = { thereMs: 1, backMs: 1 }
  const lines: { jumpMs: number }[] = []
  let reads = 0
  let duringRead = (): void => {}
  const pass = (ms: number): void => {
    clocks.mongoMs += ms
    clocks.wallMs += ms
    clocks.monotonicMs += ms
  }
  const readClock = async (): Promise<number> => {
    reads += 1
    pass(halves.thereMs)
    const shown = Math.floor(clocks.mongoMs)
    duringRead()
    pass(halves.backMs)
    return shown
  }
  const own = { wallMs: () => clocks.wallMs, monotonicMs: () => clocks.monotonicMs }
  const log = { warn: (fields: { jumpMs: number }) => void lines.push(fields) }
  const time = createDatabaseTime(readClock, own, log as never, (databaseMs) => databaseMs)
  return {
    clocks,
    halves,
    lines,
    pass,
    time,
    reads: () => reads,
    duringRead: (act: () => void) => void (duringRead = act),
    offMs: () => time.now().getTime() - clocks.mongoMs,
  }
}

const errorOf = (measurement: Promise<void> | null) =>
  measurement?.then(
    () => null,
    ({ name }: Error) => name,
  )

describe('Database time', () => {
  let opened: ReturnType<typeof openClocks>
  beforeEach(async () => {
    opened = openClocks()
    await opened.time.begin()
  })
  afterEach(() => opened.time.close())

  it("is within half a round trip of MongoDB's clock", () => {
    expect(opened.reads()).to.equal(3)
    expect(opened.offMs()).to.be.within(-1.5, 1.5)
    opened.pass(60_000)
    expect(opened.offMs()).to.be.within(-1.5, 1.5)
    expect(opened.time.unsure()).to.equal(null)
  })

  for (const [what, aheadMs] of [
    ['111 s ahead', 111_000],
    ['25 hours behind', -25 * hourMs],
  ] as const)
    it(`stays the same and is measured again at once when the wall clock is set ${what}`, async () => {
      opened.clocks.wallMs += aheadMs
      const before = opened.reads()
      expect(opened.offMs()).to.be.within(-1.5, 1.5)
      await opened.time.unsure()
      expect(opened.reads()).to.equal(before + 1)
      expect(opened.time.unsure()).to.equal(null)
      expect(opened.offMs()).to.be.within(-1.5, 1.5)
      expect(opened.time.skewMs()).to.be.closeTo(aheadMs, 1.5)
      expect(opened.lines).to.deep.equal([])
    })

  it('is measured again after the machine has slept', async () => {
    opened.clocks.mongoMs += hourMs
    opened.clocks.wallMs += hourMs
    await opened.time.unsure()
    expect(opened.offMs()).to.be.within(-1.5, 1.5)
    expect(opened.lines).to.have.length(1)
    expect(opened.lines[0]?.jumpMs).to.be.closeTo(hourMs, 2)
  })

  it('ignores a measurement during which the machine slept', async () => {
    opened.clocks.wallMs += 5000
    opened.duringRead(() => {
      opened.clocks.mongoMs += hourMs
      opened.clocks.wallMs += hourMs
    })
    expect(await errorOf(opened.time.unsure())).to.equal('MongoNetworkTimeoutError')
    opened.duringRead(() => {})
    await opened.time.unsure()
    expect(opened.offMs()).to.be.within(-1.5, 1.5)
  })

  it('ignores a measurement that took more than a second', async () => {
    opened.clocks.wallMs += 5000
    opened.halves.backMs = 1100
    expect(await errorOf(opened.time.unsure())).to.equal('MongoNetworkTimeoutError')
    expect(opened.offMs()).to.be.within(-1.5, 1.5)
  })

  it('uses an older measurement as long as it is more precise than a new one, allowing for drift', async () => {
    opened.halves.backMs = 401
    for (const [passedMs, from, to] of [
      [10_000, -1.5, 1.5],
      // The first measurement may be off by 301 ms by now, the new one by at most 200 ms.
      [300_000, 190, 210],
    ] as const) {
      opened.pass(passedMs)
      opened.clocks.wallMs += 5000
      await opened.time.unsure()
      expect(Math.abs(opened.offMs())).to.be.within(Math.max(0, from), to)
    }
  })

  it('becomes uncertain once the last measurement is old enough for the clocks to have drifted apart', async () => {
    opened.pass(490_000)
    expect(opened.time.unsure()).to.equal(null)
    opened.pass(20_000)
    expect(opened.time.unsure()).to.not.equal(null)
    await opened.time.unsure()
    expect(opened.time.unsure()).to.equal(null)
  })

  it("never goes backwards for a small correction but waits until MongoDB's clock has caught up", async () => {
    const before = opened.time.now().getTime()
    opened.clocks.mongoMs -= 400
    opened.clocks.wallMs += 5000
    await opened.time.unsure()
    expect(opened.time.now().getTime()).to.equal(before)
    opened.pass(1000)
    expect(opened.offMs()).to.be.within(-1.5, 1.5)
    expect(opened.lines).to.deep.equal([])
  })

  it("follows MongoDB's clock when that clock is set", async () => {
    for (const jumpMs of [25 * hourMs, -25 * hourMs]) {
      opened.clocks.mongoMs += jumpMs
      opened.time.measureSoon()
      await new Promise(setImmediate)
      expect(opened.offMs()).to.be.within(-1.5, 1.5)
      expect(opened.lines.pop()?.jumpMs).to.be.closeTo(jumpMs, 3)
    }
  })
})
