import { expect } from 'chai'
import { readArguments } from '../arguments.ts'
import { points } from '../build/points.ts'
import { planOfRound } from '../rounds.ts'
import { type Kind, laneOf, type PlannedFault } from './fault.ts'

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
const plansOf = (...args: string[]): PlannedFault[][] =>
  roundsOf(...args).map((round) => planOfRound(round, null))

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
  })

  for (const seed of seeds) {
    it(`has every kind of fault and every named point within an hour (seed ${seed})`, () => {
      const faults = plansOf('--seed', seed, '--soak').flat()
      expect(new Set(faults.map(({ what }) => what))).to.have.keys(kinds)
      const armed = new Set(faults.flatMap((fault) => (fault.what === 'process.point' ? [fault.point] : [])))
      expect([...armed]).to.have.members(points.map(({ name }) => name))
    })

    it(`does one thing at a time to one target (seed ${seed})`, () => {
      for (const plan of plans(seed)) {
        const overAt = new Map<string, number>()
        for (const fault of plan) {
          expect(overAt.get(laneOf(fault)) ?? 0, JSON.stringify(fault)).to.be.at.most(fault.atMs)
          // A point is passed as soon as somebody comes to it.
          overAt.set(laneOf(fault), fault.atMs + (fault.what === 'process.point' ? 0 : fault.forMs))
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

    it(`leaves a third of the time or more without any fault (seed ${seed})`, () => {
      for (const plan of plans(seed)) {
        let [endsAt, quietMs] = [0, 0]
        for (const fault of plan) {
          const gapMs = fault.atMs - endsAt
          if (gapMs >= 5000) quietMs += gapMs
          endsAt = Math.max(endsAt, endOf(fault))
        }
        expect(quietMs / endsAt).to.be.within(0.2, 0.6)
      }
    })
  }

  it('is narrowed by a focus to its points and its kinds', () => {
    const round = { seed: 1, round: 1, servers: 'standalone', seconds: 60 } as const
    const plan = planOfRound(round, { points: ['relay.nudged:stop'], faults: ['redis.flush'] })
    expect(new Set(plan.map(({ what }) => what))).to.have.keys(['process.point', 'redis.flush'])
    for (const fault of plan)
      if (fault.what === 'process.point') expect(fault).to.include({ point: 'relay.nudged', deed: 'stop' })
  })
})

const plans = (seed: string) => plansOf('--seed', seed, '--minutes', '10')

const frozenMs = (fault: PlannedFault): number => {
  if (fault.what === 'process.stop') return fault.forMs
  return fault.what === 'process.point' && fault.deed === 'stop' ? fault.awayMs : 0
}

const endOf = (fault: PlannedFault): number =>
  fault.atMs + (fault.what === 'process.point' ? fault.awayMs : fault.forMs)

const isSameType = (one: PlannedFault, other: PlannedFault): boolean =>
  one.target.split('-')[0] === other.target.split('-')[0]
