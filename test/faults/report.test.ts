import { expect } from 'chai'
import { nothingChecked } from './checker/round.ts'
import type { PlannedFault } from './plan/fault.ts'
import { faultsDone, neverReached, shortfalls, timeChecked, timeNotProved } from './report.ts'

const base = { atMs: 0, forMs: 0 }
const kill: PlannedFault = { ...base, what: 'process.kill', target: 'web-1' }
const flush: PlannedFault = { ...base, what: 'redis.flush', target: 'redis' }
const jump: PlannedFault = { ...base, what: 'clock.jump', target: 'all', aheadMs: 1 }
const at = (point: string): PlannedFault => ({
  ...base,
  what: 'process.point',
  target: 'web-1',
  point,
  time: 1,
  deed: 'kill',
  awayMs: 0,
})
const reached = (name: string) => ({
  what: 'process.point',
  target: `web-1 ${name} kill`,
  began: 1,
  ended: 2,
})
const times = <T>(count: number, thing: T): T[] => Array.from({ length: count }, () => thing)
const shortOf = (planned: PlannedFault[], done: PlannedFault[]) => shortfalls([{ planned, done, faults: [] }])

describe('The report on a fault run', () => {
  it('counts the faults of each kind and the fault points that were reached', () => {
    const planned = [kill, kill, at('create.inserted'), at('pay.settled')]
    const faults = { planned, done: planned.slice(1, 3), faults: [reached('create.inserted')] }
    expect(faultsDone(faults)).to.equal('2 of 4 faults (process.kill 1/2, process.point 1/2); 1 of 2 points')
    expect(neverReached([faults])).to.deep.equal(['pay.settled'])
    const others = { planned: [], done: [], faults: [reached('pay.settled')] }
    expect(neverReached([faults, others])).to.deep.equal([])
  })

  it('reports a shortfall if fewer than half of all planned faults, or fewer than a quarter of those planned at fault points, happened', () => {
    const planned = [...times(10, kill), ...times(10, at('create.inserted'))]
    const done = (kills: number, to: number) => [...planned.slice(0, kills), ...planned.slice(10, 10 + to)]
    expect(shortOf(planned, done(5, 3))).to.deep.equal([])
    expect(shortOf(planned, done(4, 3))).to.deep.equal(['only 4 of 10 faults were done'])
    expect(shortOf(planned, done(5, 2))).to.deep.equal(['only 2 of 10 faults at points were done'])
  })

  it('reports a shortfall if a planned clock jump, or a kind of fault that was planned several times, never happened', () => {
    const planned = [...times(10, kill), ...times(3, flush), jump]
    expect(shortOf(planned, [...times(10, kill), flush, jump])).to.deep.equal([])
    expect(shortOf(planned, times(10, kill))).to.deep.equal([
      'redis.flush was planned 3 times and never done',
      'clock.jump was planned 1 times and never done',
    ])
  })

  it('names each promise about timing that was never tested, unless the run was short', () => {
    const made = { 'response.sound': 8, 'delivery.counted': 7, 'expiry.prompt': 5, 'events.complete': 3 }
    const checked = { ...nothingChecked(), ...made }
    const calm = { checked, busy: { ms: 0, ofMs: 90_000, isMostly: false } }
    const busy = { checked: nothingChecked(), busy: { ms: 60_000, ofMs: 90_000, isMostly: true } }
    expect(timeChecked(calm)).to.include('response.sound 8, delivery.counted 7')
    expect(timeChecked(busy)).to.equal('time not checked, as the machine was busy for 60 of 90 s')
    expect(timeNotProved([calm, busy], 300)).to.deep.equal(['delivery.paced could report nothing late'])
    expect(timeNotProved([busy], 120)).to.deep.equal([])
  })
})
