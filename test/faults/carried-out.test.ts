import { expect } from 'chai'
import { carriedOut, neverReached, shortfalls } from './carried-out.ts'
import type { PlannedFault } from './plan/fault.ts'

const flush = (atMs: number): PlannedFault => ({ what: 'redis.flush', target: 'redis', atMs, forMs: 0 })
const kill = (atMs: number): PlannedFault => ({ what: 'process.kill', target: 'web-1', atMs, forMs: 0 })
const at = (point: string): PlannedFault => ({
  what: 'process.point',
  target: 'web-1',
  atMs: 0,
  forMs: 4000,
  point,
  time: 1,
  deed: 'kill',
  awayMs: 0,
})
const ten = Array.from({ length: 10 }, (_, index) => index)
const reached = (point: string) => ({
  what: 'process.point',
  target: `web-1 ${point} kill`,
  began: 1,
  ended: 2,
})

describe('What a run of faults has carried out', () => {
  it('is told by kind, and by points', () => {
    const planned = [kill(1), kill(2), at('create.inserted'), at('pay.settled')]
    const deeds = { planned, done: planned.slice(1, 3), faults: [reached('create.inserted')] }
    expect(carriedOut(deeds)).to.equal('2 of 4 faults (process.kill 1/2, process.point 1/2); 1 of 2 points')
    expect(neverReached([deeds])).to.deep.equal(['pay.settled'])
    const other = { planned: [], done: [], faults: [reached('pay.settled')] }
    expect(neverReached([deeds, other])).to.deep.equal([])
  })

  it('proves something where half of it was done, and of what was to be done at points a quarter', () => {
    const planned = [...ten.map(kill), ...ten.map(() => at('create.inserted'))]
    const done = (kills: number, points: number) => [
      ...planned.slice(0, kills),
      ...planned.slice(10, 10 + points),
    ]
    const shortOf = (kills: number, points: number) =>
      shortfalls([{ planned, done: done(kills, points), faults: [] }])
    expect(shortOf(5, 3)).to.deep.equal([])
    expect(shortOf(4, 3)).to.deep.equal(['4 of 10 faults were done, and 5 are the least that count'])
    expect(shortOf(5, 2)).to.deep.equal([
      '2 of 10 faults at points were done, and 3 are the least that count',
    ])
  })

  it('proves nothing of a kind that never came to be', () => {
    const planned = [...ten.map(kill), ...ten.slice(0, 3).map(flush)]
    const deeds = { planned, done: planned.slice(0, 10), faults: [] }
    expect(shortfalls([deeds])).to.deep.equal(['redis.flush was planned 3 times and never done'])
  })

  it('proves nothing of a primary to which nothing was done, nor of clocks that never jumped', () => {
    const kills = ten.map(kill)
    const primaries: PlannedFault[] = (['primary.kill', 'primary.end', 'primary.stop'] as const).map(
      (what) => ({ what, target: 'primary', atMs: 0, forMs: 0 }),
    )
    const jump: PlannedFault = { what: 'clock.jump', target: 'all', atMs: 0, forMs: 0, aheadMs: 1 }
    const planned = [...kills, ...primaries, jump]
    const shortOf = (...done: PlannedFault[]) =>
      shortfalls([{ planned, done: [...kills, ...done], faults: [] }])
    expect(shortOf(...primaries.slice(0, 1), jump)).to.deep.equal([])
    expect(shortOf(jump)).to.deep.equal(['primary.* was planned 3 times and never done'])
    expect(shortOf(...primaries)).to.deep.equal(['clock.jump was planned once and never done'])
  })
})
