import { expect } from 'chai'
import type { Fault } from '../evidence/evidence.ts'
import { openPulse } from './pulse.ts'

/** Beats a quarter of a second apart, late by these. */
function toldOf(lates: readonly number[]): Pick<Fault, 'began' | 'ended' | 'what'>[] {
  const told: Fault[] = []
  const pulse = openPulse((fault) => told.push(fault))
  for (const [index, lateMs] of lates.entries())
    pulse.beat({ began: index * 250, ended: index * 250 + 10 + lateMs, lateMs })
  pulse.end()
  return told.map(({ began, ended, what }) => ({ began, ended, what }))
}

const times = (count: number, lateMs: number) => Array.from({ length: count }, () => lateMs)

describe('The pulse of the machine', () => {
  it('is calm where a round alone keeps it at work, and where one beat is late', () => {
    expect(toldOf(times(40, 20))).to.deep.equal([])
    expect(toldOf([...times(10, 5), 300, ...times(10, 5)])).to.deep.equal([])
  })

  it('is busy from the first late beat to the last, one stretch after another', () => {
    const [first, second, ...more] = toldOf([
      ...times(20, 5),
      ...times(20, 100),
      ...times(20, 5),
      ...times(20, 100),
    ])
    expect(more).to.deep.equal([])
    expect(first).to.include({ what: 'machine.busy' })
    expect(first?.began).to.be.within(4000, 5000)
    expect(first?.ended).to.be.within(9500, 11_500)
    // It is on when the round ends.
    expect(second?.ended).to.equal(79 * 250 + 110)
  })

  it('is in no two stretches at once', () => {
    const told = toldOf([...times(8, 100), ...times(6, 5), ...times(8, 100)])
    for (const [index, { began }] of told.entries()) expect(began).to.be.at.least(told[index - 1]?.ended ?? 0)
    expect(told).to.have.lengthOf(2)
  })

  it('is busy where everything stood still for two seconds', () => {
    expect(toldOf([...times(10, 5), 2000, ...times(10, 5)])).to.have.lengthOf(1)
  })
})
