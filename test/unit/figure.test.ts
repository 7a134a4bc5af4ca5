import { cacheCollector } from '../../src/metrics/figure.ts'

function openFigure(keptMs: number) {
  const clock = { at: new Date('2026-01-01T12:00:00Z') }
  const ends: (() => void)[] = []
  const read = () => new Promise<void>((resolve) => ends.push(resolve))
  const refresh = cacheCollector({ now: () => clock.at }, { keptMs, read, leaveOut: () => undefined })
  const endRead = async (reads: number, ...callers: Promise<void>[]) => {
    expect(ends).to.have.length(reads)
    ends.at(-1)?.()
    await Promise.all(callers)
  }
  return { clock, refresh, endRead }
}

describe('A cached metric', () => {
  it('is read once for all concurrent callers', async () => {
    const { refresh, endRead } = openFigure(0)
    await endRead(1, ...[1, 2, 3].map(refresh))
    await endRead(2, refresh())
  })

  it('is not read again while it is fresh, unless the clock has been set back', async () => {
    const { clock, refresh, endRead } = openFigure(60_000)
    await endRead(1, refresh())
    await endRead(1, refresh())
    clock.at = new Date(clock.at.getTime() - 3_600_000)
    await endRead(2, refresh())
  })
})
