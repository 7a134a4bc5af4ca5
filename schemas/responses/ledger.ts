import { entryTypes } from '../ledger.ts'
import {
  amountSchema,
  booleanSchema,
  count,
  currencySchema,
  instant,
  integerSchema,
  intentReferenceSchema,
  largestExact,
  nullable,
  objectOf,
  oneOf,
  pageSchema,
  textMatching,
  textOrNull,
  withDescription,
} from './fields.ts'

const signed = integerSchema(-largestExact, largestExact)
export const daySchema = textMatching('^[0-9]{4}-[0-9]{2}-[0-9]{2}$', 10)
const refundId = textMatching('^RF-[0-9A-Z]{16}$', 19)
const merchantReference = withDescription(
  'The reference that you gave the payment intent. Null if it has none.',
  textOrNull(64),
)

export const balanceSchema = objectOf({
  currency: currencySchema,
  amount: withDescription(
    'Centimes. Negative if you owe the service money, for example after refunds of payments that were already paid out.',
    signed,
  ),
  asOf: withDescription('All payments and refunds recorded until this time are included.', instant),
})

export const ledgerEntrySchema = objectOf({
  id: textMatching('^[0-9a-f]{24}(-fee)?$', 28),
  number: withDescription('The entries are numbered from 1, without gaps.', integerSchema(1, largestExact)),
  type: {
    description:
      'A `fee` is what you pay for a payment, or the part of it that a refund gives back. A `payout` is money sent to you.',
    ...oneOf(entryTypes),
  },
  amount: withDescription('Centimes. The change of the balance: negative if it decreases.', signed),
  balance: withDescription('Centimes. The balance after the entry.', signed),
  referenceNumber: withDescription('The payment intent. Null for a payout.', nullable(intentReferenceSchema)),
  merchantReference,
  refundId: withDescription(
    'The refund. Null for a payment and its fee, and for a payout.',
    nullable(refundId),
  ),
  payoutReference: withDescription('The reference of a payout. Null for other entries.', textOrNull(64)),
  day: withDescription(
    'The UTC day of the payment, refund or payout. If that day was already closed, `bookedAt` is on a later day.',
    daySchema,
  ),
  bookedAt: withDescription('When the entry was booked. The statement of this UTC day contains it.', instant),
})

export const ledgerEntryPageSchema = pageSchema(ledgerEntrySchema)

const moved = objectOf({ count, amount: withDescription('Centimes. Not negative.', count) })

export const statementSchema = objectOf({
  day: daySchema,
  opening: withDescription('Centimes. The balance at the start of the day.', signed),
  payments: moved,
  refunds: moved,
  fees: objectOf({
    amount: withDescription(
      'Centimes. The fees of payments, minus the fees that refunds gave back. Negative if more was given back.',
      signed,
    ),
  }),
  payouts: moved,
  closing: withDescription('Centimes. `opening` + payments - refunds - fees - payouts.', signed),
  closed: withDescription(
    'Whether the day is over. The statement of a closed day never changes.',
    booleanSchema,
  ),
})

export const statementPageSchema = pageSchema(statementSchema)

export const listedRefundSchema = objectOf({
  id: refundId,
  referenceNumber: withDescription('The payment intent.', intentReferenceSchema),
  merchantReference,
  amount: withDescription('Centimes.', amountSchema),
  currency: currencySchema,
  reason: withDescription('The note that you sent.', textOrNull(200)),
  status: { type: 'string', const: 'SUCCEEDED' },
  returnedFees: withDescription(
    'Centimes. What the refund gave back of the fees of the payment: `providerTtc` to you, `payerTtc` to the customer.',
    objectOf({ providerTtc: count, payerTtc: count }),
  ),
  createdAt: withDescription('When you requested the refund.', instant),
  refundedAt: withDescription('When the refund succeeded.', instant),
  bookedAt: withDescription('When the refund was booked. `from` and `to` refer to this time.', instant),
})

export const listedRefundPageSchema = pageSchema(listedRefundSchema)
