import { expect } from 'chai'
import { createRefresh } from '../../src/metrics/figure.ts'

/** A figure by a clock that can be set, whose questions are counted, and answered by hand. */
function openFigure(keptMs: number) {
  const clock = { at: new Date('2026-01-01T12:00:00Z') }
  const answers: (() => void)[] = []
  const read = () => new Promise<void>((resolve) => answers.push(resolve))
  const refresh = createRefresh({ now: () => clock.at }, { keptMs, read, leaveOut: () => undefined })
  const answer = () => answers.at(-1)?.()
  return { clock, answers, refresh, answer }
}

describe('A cached figure', () => {
  it('is read once for all concurrent callers', async () => {
    const { answers, refresh, answer } = openFigure(0)
    const all = [refresh(), refresh(), refresh()]
    expect(answers).to.have.length(1)
    answer()
    await Promise.all(all)
    const next = refresh()
    expect(answers).to.have.length(2)
    answer()
    await next
  })

  it('is read again after the clock was set back, and not while it is fresh', async () => {
    const { clock, answers, refresh, answer } = openFigure(60_000)
    const first = refresh()
    answer()
    await first
    await refresh()
    expect(answers).to.have.length(1)
    clock.at = new Date(clock.at.getTime() - 3_600_000)
    const again = refresh()
    expect(answers).to.have.length(2)
    answer()
    await again
  })
})
