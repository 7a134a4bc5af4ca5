import { nothingChecked } from './checker/round.ts'
import type { PlannedFault } from './nemesis/faults.ts'
import { shortfalls, timeChecked } from './report.ts'

const base = { target: 'web-1', atMs: 0, forMs: 0 }
const kill: PlannedFault = { ...base, what: 'process.kill' }
const flush: PlannedFault = { ...base, what: 'redis.flush' }
const jump: PlannedFault = { ...base, what: 'clock.jump', aheadMs: 1 }
const order = { point: 'create.inserted', time: 1, deed: 'kill', awayMs: 0 } as const
const atPoint: PlannedFault = { ...base, what: 'process.point', order }
const times = <T>(count: number, thing: T): T[] => Array.from({ length: count }, () => thing)
const calm = { checked: nothingChecked(), busy: { ms: 0, ofMs: 90_000, isMostly: false } }
const shortOf = (planned: PlannedFault[], done: PlannedFault[]) =>
  shortfalls([{ ...calm, planned, done, faults: [] }], 60)

describe("A fault run's report", () => {
  it('flags a run with under half of its planned faults, or a quarter of those at fault points', () => {
    const planned = [...times(10, kill), ...times(10, atPoint)]
    expect(shortOf(planned, [...times(5, kill), ...times(3, atPoint)])).to.deep.equal([])
    expect(shortOf(planned, [...times(4, kill), ...times(2, atPoint)])).to.deep.equal([
      'only 4 of 10 faults were done',
      'only 2 of 10 faults at points were done',
    ])
  })

  it('flags a kind of fault that was planned several times but never happened', () => {
    expect(shortOf([...times(10, kill), ...times(3, flush), jump], times(10, kill))).to.deep.equal([
      'redis.flush was planned 3 times and never done',
      'clock.jump was planned 1 times and never done',
    ])
  })

  it('names each timing promise that a long run never tested', () => {
    const busy = { ...calm, busy: { ms: 60_000, ofMs: 90_000, isMostly: true } }
    expect(timeChecked(busy)).to.equal('time not checked, as the machine was busy for 60 of 90 s')
    const checked = { ...nothingChecked(), 'response.sound': 8 }
    const idle = { planned: [], done: [], faults: [] }
    const rounds = [busy, { ...calm, checked }].map((each) => ({ ...each, ...idle }))
    expect(shortfalls(rounds, 300)).to.include('delivery.paced could report nothing late')
    expect(shortfalls(rounds, 300)).to.not.include('response.sound could report nothing late')
    expect(shortfalls(rounds, 120)).to.deep.equal([])
  })
})
