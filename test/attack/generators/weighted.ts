import * as fc from 'fast-check'

export const weighted = <Values extends unknown[]>(
  ...choices: { [Index in keyof Values]: [weight: number, arbitrary: fc.Arbitrary<Values[Index]>] }
): fc.Arbitrary<Values[number]> => fc.oneof(...choices.map(([weight, arbitrary]) => ({ weight, arbitrary })))
