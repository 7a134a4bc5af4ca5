import { commandFor, readArguments } from '../arguments.ts'
import { points } from '../build/edits.ts'
import { faultKinds, type PlannedFault, targetOf } from '../nemesis/faults.ts'
import { planOf } from './plan.ts'

const roundsOf = (...args: string[]) => {
  const options = readArguments(args, 1)
  if (options.action !== 'run') throw new Error('no run')
  return options.rounds
}
const plansOf = (...args: string[]): PlannedFault[][] => roundsOf(...args).map(planOf)

describe('A fault plan', () => {
  it('is the same whenever a run uses the same seed', () => {
    expect(plansOf('--seed', '4711')).to.deep.equal(plansOf('--seed', '4711'))
    expect(plansOf('--seed', '4711')).to.not.deep.equal(plansOf('--seed', '4712'))
    const [, , third] = plansOf('--seed', '4711', '--minutes', '10')
    expect(plansOf('--seed', '4711-3', '--round-minutes', '2.5')).to.deep.equal([third])
    for (const minutes of ['0.25', '0.4', '2', '10'])
      for (const round of roundsOf('--seed', '4711', '--minutes', minutes))
        expect(roundsOf(...commandFor(round).split(' ').slice(4))).to.deep.equal([round])
  })

  for (const seed of ['1', '4711', '123456']) {
    it(`contains every kind of fault and every fault point within an hour of rounds (seed ${seed})`, () => {
      const faults = plansOf('--seed', seed, '--minutes', '60').flat()
      expect(new Set(faults.map(({ what }) => what))).to.have.all.keys(Object.keys(faultKinds))
      const armed = new Set(faults.flatMap(({ order }) => order?.point ?? []))
      expect([...armed]).to.have.members(points.map(({ name }) => name))
    })

    it(`never overlaps two faults of one target (seed ${seed})`, () => {
      for (const plan of plansOf('--seed', seed, '--minutes', '10')) {
        const overAt = new Map<string, number>()
        for (const fault of plan) {
          expect(overAt.get(targetOf(fault)) ?? 0, JSON.stringify(fault)).to.be.at.most(fault.atMs)
          overAt.set(targetOf(fault), fault.atMs + (fault.order ? 0 : fault.forMs))
        }
      }
    })
  }
})
