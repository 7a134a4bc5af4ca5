import { entryTypes } from '../ledger.ts'
import {
  amount,
  count,
  currency,
  described,
  instant,
  largestExact,
  objectOf,
  orNull,
  pageOf,
  reference,
  shaped,
  textOrNull,
} from './fields.ts'

const signed = { type: 'integer', minimum: -largestExact, maximum: largestExact }
export const day = shaped('^[0-9]{4}-[0-9]{2}-[0-9]{2}$', 10)
const refundId = shaped('^RF-[0-9A-Z]{16}$', 19)
const merchantReference = described(
  'The reference that you gave the payment intent. Null if it has none.',
  textOrNull(64),
)

export const balance = objectOf({
  currency,
  amount: described(
    'Centimes. Negative if you owe the service money, for example after refunds of payments that were already paid out.',
    signed,
  ),
  asOf: described('All payments and refunds recorded until this time are included.', instant),
})

export const ledgerEntry = objectOf({
  id: shaped('^[0-9a-f]{24}(-fee)?$', 28),
  number: described('The entries are numbered from 1, without gaps.', { ...count, minimum: 1 }),
  type: {
    description:
      'A `fee` is what you pay for a payment, or the part of it that a refund gives back. A `payout` is money sent to you.',
    type: 'string',
    enum: entryTypes,
  },
  amount: described('Centimes. The change of the balance: negative if it decreases.', signed),
  balance: described('Centimes. The balance after the entry.', signed),
  referenceNumber: described('The payment intent. Null for a payout.', orNull(reference)),
  merchantReference,
  refundId: described('The refund. Null for a payment and its fee, and for a payout.', orNull(refundId)),
  payoutReference: described('The reference of a payout. Null for other entries.', textOrNull(64)),
  day: described(
    'The UTC day of the payment, refund or payout. If that day was already closed, `bookedAt` is on a later day.',
    day,
  ),
  bookedAt: described('When the entry was booked. The statement of this UTC day contains it.', instant),
})

export const ledgerEntryPage = pageOf(ledgerEntry)

const total = described('Centimes. Not negative.', count)
const moved = { count, amount: total }

export const statement = objectOf({
  day,
  opening: described('Centimes. The balance at the start of the day.', signed),
  payments: objectOf(moved),
  refunds: objectOf(moved),
  fees: objectOf({
    amount: described(
      'Centimes. The fees of payments, minus the fees that refunds gave back. Negative if more was given back.',
      signed,
    ),
  }),
  payouts: objectOf(moved),
  closing: described('Centimes. `opening` + payments - refunds - fees - payouts.', signed),
  closed: described('Whether the day is over. The statement of a closed day never changes.', {
    type: 'boolean',
  }),
})

export const statementPage = pageOf(statement)

/** Only refunds that the wallet has confirmed. */
export const listedRefund = objectOf({
  id: refundId,
  referenceNumber: described('The payment intent.', reference),
  merchantReference,
  amount: described('Centimes.', amount),
  currency,
  reason: described('The note that you sent.', textOrNull(200)),
  status: { type: 'string', const: 'SUCCEEDED' },
  returnedFees: described(
    'Centimes. What the refund gave back of the fees of the payment: `providerTtc` to you, `payerTtc` to the customer.',
    objectOf({ providerTtc: count, payerTtc: count }),
  ),
  createdAt: described('When you requested the refund.', instant),
  refundedAt: described('When the refund succeeded.', instant),
  bookedAt: described('When the refund was booked. `from` and `to` refer to this time.', instant),
})

export const listedRefundPage = pageOf(listedRefund)
