import { isDeepStrictEqual } from 'node:util'
import type { Judge } from '../round.ts'
import { commissionOf } from '../views/commission.ts'

/** Each payment keeps the commission of its amount, to the centime. */
export const commissionExact: Judge = function* ({ dump }) {
  for (const { referenceNumber: of, payment } of dump.intents) {
    if (payment === null) continue
    const { amountPaid, commission } = payment
    const due = commissionOf(amountPaid)
    const isExact = (Object.keys(due) as (keyof typeof due)[]).every((part) =>
      isDeepStrictEqual(commission[part], due[part]),
    )
    if (!isExact)
      yield {
        of,
        says: `of ${amountPaid} the commission is ${JSON.stringify(commission)}, and should be ${JSON.stringify(due)}`,
      }
  }
}
