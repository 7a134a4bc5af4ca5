import { expect } from 'chai'
import { commandFor, readArguments } from '../arguments.ts'
import { points } from '../build/points.ts'
import { planOfRound } from '../rounds.ts'
import { type Kind, type PlannedFault, targetOf } from './fault.ts'

const kinds: Kind[] = [
  'process.kill',
  'process.stop',
  'process.point',
  'process.skew',
  'clock.jump',
  'redis.stop',
  'redis.flush',
  'redis.empty',
  'redis.full',
  'mongo.kill',
  'mongo.stop',
  'primary.kill',
  'primary.end',
  'primary.stop',
  'primary.step-down',
  'receiver.mood',
]

const roundsOf = (...args: string[]) => {
  const asked = readArguments(args, 1)
  if (asked.do !== 'run') throw new Error('no run')
  return asked.rounds
}
const plansOf = (...args: string[]): PlannedFault[][] => roundsOf(...args).map(planOfRound)

/** Seeds are as good as one another; a promise of every plan is looked at in some. */
const seeds = ['1', '2', '4711', '123456']

describe('The plan of a round of faults', () => {
  it('is the same for the same seed, and another for another', () => {
    expect(plansOf('--seed', '4711')).to.deep.equal(plansOf('--seed', '4711'))
    expect(plansOf('--seed', '4711')).to.not.deep.equal(plansOf('--seed', '4712'))
  })

  it('is the same when its round is repeated alone', () => {
    const [, , third] = plansOf('--seed', '4711', '--minutes', '10')
    expect(plansOf('--seed', '4711-3', '--round-minutes', '2.5')).to.deep.equal([third])
    for (const minutes of ['0.25', '0.4', '2', '10'])
      for (const round of roundsOf('--seed', '4711', '--minutes', minutes))
        expect(roundsOf(...commandFor(round).split(' ').slice(4))).to.deep.equal([round])
  })

  it('leaves the end of each round of a minute or more to traffic alone, and in longer ones 20 s or more in between', () => {
    for (const [minutes, count] of [
      ['1', 1],
      ['2.5', 2],
      ['5', 4],
    ] as const)
      for (const seed of seeds)
        for (const plan of plansOf('--seed', seed, '--round-minutes', minutes)) {
          const gaps = gapsOf(plan, Number(minutes) * 60_000)
          expect(gaps.at(-1)).to.be.at.least(30_000)
          expect(gaps.filter((gapMs) => gapMs >= 20_000)).to.have.lengthOf.at.least(count)
        }
  })

  for (const seed of seeds) {
    it(`has every kind of fault and every named point within an hour (seed ${seed})`, () => {
      const faults = plansOf('--seed', seed, '--soak').flat()
      expect(new Set(faults.map(({ what }) => what))).to.have.keys(kinds)
      const armed = new Set(faults.flatMap((fault) => (fault.what === 'process.point' ? [fault.point] : [])))
      expect([...armed]).to.have.members(points.map(({ name }) => name))
    })

    it(`has both workers wait for the clean-up when a night begins (seed ${seed})`, () => {
      const nights = plansOf('--seed', seed, '--soak').flatMap((plan) => {
        const jump = plan.find(({ what }) => what === 'clock.jump')
        return jump === undefined ? [] : [{ plan, jump }]
      })
      expect(nights).to.have.lengthOf.at.least(6)
      for (const { plan, jump } of nights) {
        const waiting = plan.filter(
          (fault) =>
            fault.what === 'process.point' &&
            fault.point.startsWith('clean-up.') &&
            fault.time === 1 &&
            fault.atMs <= jump.atMs &&
            fault.atMs + fault.forMs >= jump.atMs + 5000,
        )
        expect(waiting.map(({ target }) => target)).to.have.members(['worker-1', 'worker-2'])
      }
    })

    it(`does one thing at a time to one target (seed ${seed})`, () => {
      for (const plan of plans(seed)) {
        const overAt = new Map<string, number>()
        for (const fault of plan) {
          expect(overAt.get(targetOf(fault)) ?? 0, JSON.stringify(fault)).to.be.at.most(fault.atMs)
          // A point is passed as soon as somebody comes to it.
          overAt.set(targetOf(fault), fault.atMs + (fault.what === 'process.point' ? 0 : fault.forMs))
        }
      }
    })

    it(`freezes no two processes of a type for long at the same time (seed ${seed})`, () => {
      for (const plan of plans(seed)) {
        const long = plan.filter((fault) => frozenMs(fault) > 5000)
        for (const one of long)
          for (const other of long) {
            if (one.target === other.target || !isSameType(one, other)) continue
            const isApart = one.atMs >= endOf(other) || other.atMs >= endOf(one)
            expect(isApart, `${JSON.stringify(one)} ${JSON.stringify(other)}`).to.equal(true)
          }
      }
    })

    it(`kills none while the other of its type stands still for long (seed ${seed})`, () => {
      for (const plan of plans(seed)) {
        const long = plan.filter((fault) => frozenMs(fault) > 5000)
        for (const fault of plan.filter(isDeath))
          for (const other of long) {
            if (other.target === fault.target || !isSameType(other, fault)) continue
            const isApart = fault.atMs >= endOf(other) || other.atMs >= fault.atMs + fault.forMs
            expect(isApart, `${JSON.stringify(fault)} ${JSON.stringify(other)}`).to.equal(true)
          }
      }
    })

    it(`leaves a third of the time or more without any fault (seed ${seed})`, () => {
      for (const plan of plans(seed)) {
        const quietMs = gapsOf(plan, 150_000).filter((gapMs) => gapMs >= 5000)
        expect(sumOf(quietMs) / 150_000).to.be.within(0.33, 0.7)
      }
    })
  }
})

/** How long nothing is done, again and again, until the round ends. */
function gapsOf(plan: readonly PlannedFault[], lengthMs: number): number[] {
  const gaps: number[] = []
  let endsAt = 0
  for (const fault of plan) {
    if (fault.atMs > endsAt) gaps.push(fault.atMs - endsAt)
    endsAt = Math.max(endsAt, endOf(fault))
  }
  return [...gaps, lengthMs - endsAt]
}

const sumOf = (all: readonly number[]): number => all.reduce((sum, each) => sum + each, 0)

const plans = (seed: string) => plansOf('--seed', seed, '--minutes', '10')

const frozenMs = (fault: PlannedFault): number => {
  if (fault.what === 'process.stop') return fault.forMs
  return fault.what === 'process.point' && fault.deed === 'stop' ? fault.awayMs : 0
}

const isDeath = (fault: PlannedFault): boolean =>
  fault.what === 'process.kill' || (fault.what === 'process.point' && fault.deed === 'kill')

const endOf = (fault: PlannedFault): number =>
  fault.atMs + (fault.what === 'process.point' ? fault.awayMs : fault.forMs)

const isSameType = (one: PlannedFault, other: PlannedFault): boolean =>
  one.target.split('-')[0] === other.target.split('-')[0]
