import { type Busy, openPulse } from './pulse.ts'

function reported(lates: readonly number[]): Busy[] {
  const periods: Busy[] = []
  const pulse = openPulse((busy) => periods.push(busy))
  for (const [index, lateMs] of lates.entries())
    pulse.beat({ began: index * 250, ended: index * 250 + 10 + lateMs, lateMs })
  pulse.end()
  return periods
}

const times = (count: number, lateMs: number): number[] => Array.from({ length: count }, () => lateMs)

describe('The heartbeat that detects a busy machine', () => {
  it('reports nothing if hardly any beat is late', () =>
    expect(reported([...times(40, 20), ...times(10, 5), 300, ...times(10, 5)])).to.deep.equal([]))

  it('reports the machine as busy from the first late beat to the last', () => {
    const lates = [times(20, 5), times(20, 100), times(6, 5), times(20, 100)].flat()
    const [first, second, ...more] = reported(lates)
    expect(more).to.deep.equal([])
    expect(first?.began).to.be.within(4000, 5000)
    expect(second?.began).to.be.at.least(first?.ended ?? 0)
    expect(second?.ended).to.equal(65 * 250 + 110)
  })
})
