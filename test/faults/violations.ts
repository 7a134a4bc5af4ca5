import type { Violation } from './evidence/evidence.ts'

/** Nobody reads more, and of one mistake there are often thousands. */
const MOST_SHOWN_OF_A_PROMISE = 10

/** One line each: the promise, the thing it did not hold for, and what is wrong. */
export function printViolations(violations: readonly Violation[]): void {
  for (const promise of new Set(violations.map((one) => one.promise))) {
    const some = violations.filter((one) => one.promise === promise)
    for (const { subject, message } of some.slice(0, MOST_SHOWN_OF_A_PROMISE))
      console.log(`${promise}  ${subject}  ${message}`)
    const left = some.length - MOST_SHOWN_OF_A_PROMISE
    if (left > 0) console.log(`${promise}  and ${left} more`)
  }
}
