import { expect } from 'chai'
import { judge } from '../check.ts'
import type { PromiseName } from '../promises/promises.ts'
import { type Ordinary, ordinary } from './ordinary.ts'

/** One fact of an ordinary round is another; of this promise the checker then tells. */
export type Perturbation = [promise: PromiseName, what: string, change: (round: Ordinary) => void]

/** Each perturbation as a test: its promise is told to be broken. */
export function tellsOf(perturbations: Perturbation[]): void {
  for (const [promise, what, change] of perturbations)
    it(`tells ${promise} where ${what}`, () => {
      const round = ordinary()
      change(round)
      const told = judge(round)
      expect(told.map((violation) => violation.promise)).to.include(promise)
      expect(told.filter(({ says }) => says.startsWith('cannot be judged'))).to.deep.equal([])
    })
}

/** What is not there in a test is a mistake of the test. */
export function the<Thing>(thing: Thing | undefined): Thing {
  if (thing === undefined) throw new Error('not there')
  return thing
}
