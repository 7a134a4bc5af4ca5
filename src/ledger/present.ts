import { currencyCode } from '../../schemas/currency.ts'
import type { LedgerEntry } from './entry.ts'

/** Returns an entry as merchants see it. */
export const presentEntry = ({
  _id: id,
  position: number,
  type,
  amount,
  after,
  referenceNumber,
  merchantReference,
  refundId,
  payoutReference,
  day,
  bookedAt,
}: LedgerEntry) => ({
  id,
  number,
  type,
  amount,
  balance: after.balance,
  referenceNumber: referenceNumber ?? null,
  merchantReference: merchantReference ?? null,
  refundId: refundId ?? null,
  payoutReference: payoutReference ?? null,
  day,
  bookedAt,
})

/** Returns the refund that an entry books. The wallet has confirmed every refund in the ledger. */
export const presentListedRefund = ({
  refundId: id,
  referenceNumber,
  merchantReference,
  amount,
  reason,
  returnedFees,
  startedAt: createdAt,
  occurredAt: refundedAt,
  bookedAt,
}: LedgerEntry) => ({
  id,
  referenceNumber,
  merchantReference: merchantReference ?? null,
  amount: -amount,
  currency: currencyCode,
  reason: reason ?? null,
  status: 'SUCCEEDED',
  returnedFees,
  createdAt,
  refundedAt,
  bookedAt,
})
