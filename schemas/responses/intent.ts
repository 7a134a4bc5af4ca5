import { createTestIntentBody, intentStatuses, maxRefunds } from '../intents.ts'
import { cancellationReasons, declineReasons, failureReasons } from '../payment-reasons.ts'
import {
  amount,
  count,
  currency,
  instant,
  instantOrNull,
  nullable,
  objectOf,
  pageOf,
  reference,
  sandbox,
  textMatching,
  textOrNull,
  textUpTo,
  url,
  urlOrNull,
  withDescription,
  withoutNul,
} from './fields.ts'

const code = textMatching('^[0-9]{6}$', 6)

const { maxProperties, propertyNames } = createTestIntentBody.properties.metadata
const metadata = {
  type: 'object',
  maxProperties,
  propertyNames: { minLength: 1, maxLength: propertyNames.maxLength, pattern: withoutNul },
  additionalProperties: textUpTo(500),
}

const createdFields = {
  referenceNumber: withDescription('Identifies the intent in all other operations.', reference),
  shortCode: withDescription('The last part of `payUrl`.', textMatching('^[0-9A-Z]{6}$', 6)),
  code: withDescription('The payment code, with which the customer pays at a counter.', code),
  codeExpiresAt: withDescription('When `code` stops working.', instant),
  codeUrl: withDescription('The page where the customer types `code`.', url),
  payUrl: withDescription('The page where the customer pays.', url),
  amount: withDescription('Centimes. Null for an OPEN intent.', { ...amount, type: ['integer', 'null'] }),
  amountType: withDescription('FIXED: you set the amount. OPEN: the customer chooses it.', {
    type: 'string',
    enum: ['FIXED', 'OPEN'],
  }),
  currency,
  label: withDescription('The text that the customer sees.', textOrNull(200)),
  merchantReference: withDescription(
    'Your own reference of the payment. Null if you sent none.',
    textOrNull(64),
  ),
  status: { type: 'string', const: 'PENDING' },
  sandbox,
  metadata: withDescription('The data that you sent when you created the intent.', metadata),
  expiresAt: withDescription('When the intent becomes CANCELLED if it is not paid.', instant),
  createdAt: instant,
}

/** Fields that never change. Events contain them too, with their names in snake_case (event-bodies.ts). */
export const eventFields = {
  referenceNumber: withDescription('The `referenceNumber` of the payment intent.', reference),
  shortCode: createdFields.shortCode,
  merchantReference: createdFields.merchantReference,
  currency,
  metadata: createdFields.metadata,
}

/** See SPEC 4.1.. */
export const createdIntentSchema = objectOf(createdFields)

const commission = objectOf({
  providerTtc: withDescription('Your fee.', count),
  payerTtc: withDescription("The customer's fee.", count),
  tof: withDescription('The tax TOF.', count),
  tte: withDescription('The tax TTE.', count),
  totalRevenue: withDescription('The fees without the taxes.', count),
})

export const paymentSchema = objectOf({
  amountPaid: withDescription('Centimes, without any fee that the customer pays.', amount),
  paidAt: instant,
  method: { type: 'string', const: 'WALLET' },
  commission: withDescription(
    'Centimes. The fees and the taxes that they include. Null for a publishable key.',
    nullable(commission),
  ),
})

/** In responses while it's PENDING and once it has SUCCEEDED. It's gone if the wallet doesn't carry it out. */
export const refundSchema = objectOf({
  id: textMatching('^RF-[0-9A-Z]{16}$', 19),
  amount: withDescription('Centimes.', amount),
  returnedFees: withDescription(
    'Centimes. The parts of the fees that the refund gives back. Null for a publishable key.',
    nullable(
      objectOf({
        providerTtc: withDescription('The part of your fee that you get back.', count),
        payerTtc: withDescription(
          "The part of the customer's fee, which the customer gets back in addition to the amount.",
          count,
        ),
      }),
    ),
  ),
  currency,
  reason: withDescription('The note that you sent. Null for a publishable key.', textOrNull(200)),
  status: withDescription('PENDING until the wallet confirms the refund.', {
    type: 'string',
    enum: ['PENDING', 'SUCCEEDED'],
  }),
  createdAt: instant,
  refundedAt: withDescription('When it succeeded. Null while PENDING.', instantOrNull),
})

/** Responses contain the latest failed payment until one for the intent succeeds. */
export const paymentFailureSchema = objectOf({
  code: withDescription('Why the payment failed.', {
    type: 'string',
    enum: [...declineReasons, ...failureReasons],
  }),
  retryable: withDescription('Whether the customer can try again.', { type: 'boolean' }),
})

const readFields = {
  ...createdFields,
  code: withDescription(
    'The payment code, with which the customer pays at a counter. Null once it no longer works.',
    {
      ...code,
      type: ['string', 'null'],
    },
  ),
  codeExpiresAt: withDescription('When `code` stops working. Null once it no longer works.', instantOrNull),
  codeUrl: withDescription('The page where the customer types `code`. Null if `code` is null.', urlOrNull),
  status: { type: 'string', enum: intentStatuses },
  type: { type: 'string', const: 'API' },
  payment: withDescription('Null until the intent is paid.', nullable(paymentSchema)),
  refunds: withDescription('Oldest first.', { type: 'array', maxItems: maxRefunds, items: refundSchema }),
  totalAmountRefunded: withDescription('Centimes. The sum of the refunds that SUCCEEDED.', count),
  updatedAt: instant,
}

const readSometimes = {
  cancellationReason: withDescription('Present only if the status is CANCELLED.', {
    type: 'string',
    enum: cancellationReasons,
  }),
  failure: paymentFailureSchema,
}

export const intentSchema = objectOf(readFields, readSometimes)

export const refundedIntentSchema = objectOf({ ...readFields, refund: refundSchema }, readSometimes)

export const intentPageSchema = pageOf(intentSchema)
