import { createTestIntentBody, intentStatuses, maxRefunds } from '../intents.ts'
import { cancellationReasons, declineReasons, failureReasons } from '../payment-reasons.ts'
import {
  amountSchema,
  booleanSchema,
  count,
  currencySchema,
  instant,
  intentReferenceSchema,
  listOf,
  nullable,
  objectOf,
  oneOf,
  orNull,
  pageSchema,
  sandboxSchema,
  textMatching,
  textOrNull,
  textUpTo,
  urlSchema,
  withDescription,
  withoutNul,
} from './fields.ts'

const code = textMatching('^[0-9]{6}$', 6)
const { maxProperties, propertyNames } = createTestIntentBody.properties.metadata

const newFields = {
  referenceNumber: withDescription('Identifies the intent in all other operations.', intentReferenceSchema),
  shortCode: withDescription('The last part of `payUrl`.', textMatching('^[0-9A-Z]{6}$', 6)),
  code: withDescription('The payment code, with which the customer pays at a counter.', code),
  codeExpiresAt: withDescription('When `code` stops working.', instant),
  codeUrl: withDescription('The page where the customer types `code`.', urlSchema),
  payUrl: withDescription('The page where the customer pays.', urlSchema),
  amount: withDescription('Centimes. Null for an OPEN intent.', orNull(amountSchema)),
  amountType: withDescription(
    'FIXED: you set the amount. OPEN: the customer chooses it.',
    oneOf(['FIXED', 'OPEN']),
  ),
  currency: currencySchema,
  label: withDescription('The text that the customer sees.', textOrNull(200)),
  merchantReference: withDescription(
    'Your own reference of the payment. Null if you sent none.',
    textOrNull(64),
  ),
  status: { type: 'string', const: 'PENDING' },
  sandbox: sandboxSchema,
  metadata: withDescription('The data that you sent when you created the intent.', {
    type: 'object',
    maxProperties,
    propertyNames: { minLength: 1, maxLength: propertyNames.maxLength, pattern: withoutNul },
    additionalProperties: textUpTo(500),
  }),
  expiresAt: withDescription('When the intent becomes CANCELLED if it is not paid.', instant),
  createdAt: instant,
}

/** These fields never change. Events contain them in snake_case (event-bodies.ts). */
export const intentEventFields = {
  referenceNumber: withDescription('The `referenceNumber` of the payment intent.', intentReferenceSchema),
  shortCode: newFields.shortCode,
  merchantReference: newFields.merchantReference,
  currency: currencySchema,
  metadata: newFields.metadata,
}

export const createdIntentSchema = objectOf(newFields)

const commission = objectOf({
  providerTtc: withDescription('Your fee.', count),
  payerTtc: withDescription("The customer's fee.", count),
  tof: withDescription('The tax TOF.', count),
  tte: withDescription('The tax TTE.', count),
  totalRevenue: withDescription('The fees without the taxes.', count),
})

export const paymentSchema = objectOf({
  amountPaid: withDescription('Centimes, without any fee that the customer pays.', amountSchema),
  paidAt: instant,
  method: { type: 'string', const: 'WALLET' },
  commission: withDescription(
    'Centimes. The fees and the taxes that they include. Null for a publishable key.',
    nullable(commission),
  ),
})

/** A refund that the wallet didn't carry out disappears from responses. */
export const refundSchema = objectOf({
  id: textMatching('^RF-[0-9A-Z]{16}$', 19),
  amount: withDescription('Centimes.', amountSchema),
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
  currency: currencySchema,
  reason: withDescription('The note that you sent. Null for a publishable key.', textOrNull(200)),
  status: withDescription('PENDING until the wallet confirms the refund.', oneOf(['PENDING', 'SUCCEEDED'])),
  createdAt: instant,
  refundedAt: withDescription('When it succeeded. Null while PENDING.', orNull(instant)),
})

/** Describes the latest failed payment. Omitted once a payment succeeds. */
export const paymentFailureSchema = objectOf({
  code: withDescription('Why the payment failed.', oneOf([...declineReasons, ...failureReasons])),
  retryable: withDescription('Whether the customer can try again.', booleanSchema),
})

const readFields = {
  ...newFields,
  code: withDescription(
    'The payment code, with which the customer pays at a counter. Null once it no longer works.',
    orNull(code),
  ),
  codeExpiresAt: withDescription('When `code` stops working. Null once it no longer works.', orNull(instant)),
  codeUrl: withDescription(
    'The page where the customer types `code`. Null if `code` is null.',
    orNull(urlSchema),
  ),
  status: oneOf(intentStatuses),
  type: { type: 'string', const: 'API' },
  payment: withDescription('Null until the intent is paid.', nullable(paymentSchema)),
  refunds: withDescription('Oldest first.', listOf(refundSchema, maxRefunds)),
  totalAmountRefunded: withDescription('Centimes. The sum of the refunds that SUCCEEDED.', count),
  updatedAt: instant,
}

const optionalFields = {
  cancellationReason: withDescription('Present only if the status is CANCELLED.', oneOf(cancellationReasons)),
  failure: paymentFailureSchema,
}

export const intentSchema = objectOf(readFields, optionalFields)

export const refundedIntentSchema = objectOf({ ...readFields, refund: refundSchema }, optionalFields)

export const intentPageSchema = pageSchema(intentSchema)
