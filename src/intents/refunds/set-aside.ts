import type { Commission, ReturnedFees } from '../../wallets/commission.ts'
import type { Intent } from '../intent.ts'

/** The sums that a payment's refunds have set aside so far, including PENDING refunds. */
type SetAside = Pick<Intent, 'refundsCommitted' | 'feesReturned'>

/** A filter for the fields of `SetAside`. */
export type SetAsideGuard = Partial<
  Record<'refundsCommitted' | `feesReturned.${keyof ReturnedFees}`, number | { $lt: number } | { $lte: number }>
>

/**
 * Returns the part of each fee that a refund of `amount` centimes gives back, and the guard of the write that sets
 * them aside. The refund that completes the amount paid
 * gives back all that is left of the fees. Any other refund gives back its share, rounded down to whole centimes, but
 * never more than is left. Less than its share is left only if an earlier refund failed after a completing refund had
 * taken the rest. A share that does not depend on other refunds is guarded by bounds, so that concurrent refunds do not
 * delay each other. Otherwise, the guard requires the exact state from which the parts were calculated.
 */
export function feeShareOf(
  { amountPaid, commission }: { amountPaid: number; commission: Commission },
  { refundsCommitted, feesReturned }: SetAside,
  amount: number,
) {
  const left = (fee: keyof ReturnedFees): number => commission[fee] - feesReturned[fee]
  const share = (fee: keyof ReturnedFees): number =>
    Number((BigInt(commission[fee]) * BigInt(amount)) / BigInt(amountPaid))
  const shares = both(share)
  const isComplete = refundsCommitted + amount === amountPaid
  const isShort = shares.providerTtc > left('providerTtc') || shares.payerTtc > left('payerTtc')
  if (isComplete || isShort)
    return {
      returnedFees: isComplete ? both(left) : both((fee) => Math.min(shares[fee], left(fee))),
      guard: { refundsCommitted, ...byPath(feesReturned) },
    }
  const bounds = both((fee) => commission[fee] - shares[fee])
  return {
    returnedFees: shares,
    guard: {
      refundsCommitted: { $lt: amountPaid - amount },
      'feesReturned.providerTtc': { $lte: bounds.providerTtc },
      'feesReturned.payerTtc': { $lte: bounds.payerTtc },
    },
  }
}

const both = (part: (fee: keyof ReturnedFees) => number): ReturnedFees => ({
  providerTtc: part('providerTtc'),
  payerTtc: part('payerTtc'),
})

/** Returns both parts, keyed by MongoDB path. */
const byPath = ({ providerTtc, payerTtc }: ReturnedFees) => ({
  'feesReturned.providerTtc': providerTtc,
  'feesReturned.payerTtc': payerTtc,
})

type Amounts = { amount: number; returnedFees: ReturnedFees }

/** Returns the operand of an `$inc` that sets a refund's amount and fees aside. */
export const setAside = ({ amount, returnedFees }: Amounts): Record<string, number> => ({
  refundsCommitted: amount,
  ...byPath(returnedFees),
})

/** Returns the operand of an `$inc` that releases a refund's amount and fees. */
export const released = ({ amount, returnedFees }: Amounts): Record<string, number> => ({
  refundsCommitted: -amount,
  ...byPath(both((fee) => -returnedFees[fee])),
})
