import { ledgerEntryTypes } from '../ledger.ts'
import { described } from '../requests.ts'
import * as field from './fields.ts'

const signed = field.integerSchema(-field.maxSafeInteger, field.maxSafeInteger)
export const daySchema = field.patternSchema('^[0-9]{4}-[0-9]{2}-[0-9]{2}$', 10)
const refundId = field.patternSchema('^RF-[0-9A-Z]{16}$', 19)
const merchantReference = described('Your own reference for the payment, or null.', field.nullableText(64))

export const balanceSchema = field.objectSchema({
  currency: field.currencySchema,
  amount: described(
    'Centimes. Negative if you owe the service money, for example after refunds of payments that were already paid out.',
    signed,
  ),
  asOf: described('Includes all payments and refunds recorded up to this time.', field.instantSchema),
})

export const ledgerEntrySchema = field.objectSchema({
  id: field.patternSchema('^[0-9a-f]{24}(-fee)?$', 28),
  number: described('Counts from 1, without gaps.', field.integerSchema(1, field.maxSafeInteger)),
  type: {
    description:
      'A `fee` is what you pay for a payment, or the part of it that a refund returns. A `payout` is money sent to you.',
    ...field.enumSchema(ledgerEntryTypes),
  },
  amount: described('Centimes. The change in the balance: negative if it decreases.', signed),
  balance: described('Centimes. The balance after the entry.', signed),
  referenceNumber: described('Null for a payout.', field.nullableSchema(field.intentReferenceSchema)),
  merchantReference,
  refundId: described('Null unless a refund caused the entry.', field.nullableSchema(refundId)),
  payoutReference: described('The reference of a payout. Null for other entries.', field.nullableText(64)),
  day: described(
    'The UTC day of the payment, refund or payout. If that day was already closed, `bookedAt` is on a later day.',
    daySchema,
  ),
  bookedAt: described('The entry is in the statement for this UTC day.', field.instantSchema),
})

export const ledgerEntryPageSchema = field.pageSchema(ledgerEntrySchema)

const moved = field.objectSchema({
  count: field.countSchema,
  amount: described('Centimes. Never negative.', field.countSchema),
})

export const statementSchema = field.objectSchema({
  day: daySchema,
  opening: described('Centimes. The balance at the start of the day.', signed),
  payments: moved,
  refunds: moved,
  fees: field.objectSchema({
    amount: described('Centimes. Payment fees minus the fees returned by refunds. May be negative.', signed),
  }),
  payouts: moved,
  closing: described('Centimes. `opening` + payments - refunds - fees - payouts.', signed),
  closed: described('Whether the day is over. A closed statement never changes.', field.booleanSchema),
})

export const statementPageSchema = field.pageSchema(statementSchema)

export const listedRefundSchema = field.objectSchema({
  id: refundId,
  referenceNumber: described('The payment intent.', field.intentReferenceSchema),
  merchantReference,
  amount: described('Centimes.', field.amountSchema),
  currency: field.currencySchema,
  reason: described('The note that you sent.', field.nullableText(200)),
  status: { type: 'string', const: 'SUCCEEDED' },
  returnedFees: described(
    'Centimes. The returned fees: `providerTtc` to you, `payerTtc` to the customer.',
    field.objectSchema({ providerTtc: field.countSchema, payerTtc: field.countSchema }),
  ),
  createdAt: described('When you requested the refund.', field.instantSchema),
  refundedAt: described('When the refund succeeded.', field.instantSchema),
  bookedAt: described('When the refund was booked. `from` and `to` refer to this time.', field.instantSchema),
})

export const listedRefundPageSchema = field.pageSchema(listedRefundSchema)
