import { createTestIntentBody, intentStatuses, maxRefunds } from '../intents.ts'
import { cancellationReasons, declineReasons, failureReasons } from '../payment-reasons.ts'
import { described } from '../requests.ts'
import * as field from './fields.ts'

const code = field.textMatching('^[0-9]{6}$', 6)
const { maxProperties, propertyNames } = createTestIntentBody.properties.metadata

const newFields = {
  referenceNumber: described('Identifies the intent in all other operations.', field.intentReferenceSchema),
  shortCode: described('The last part of `payUrl`.', field.textMatching('^[0-9A-Z]{6}$', 6)),
  code: described('The payment code, with which the customer pays at a counter.', code),
  codeExpiresAt: described('When `code` stops working.', field.instant),
  codeUrl: described('The page where the customer types `code`.', field.urlSchema),
  payUrl: described('The page where the customer pays.', field.urlSchema),
  amount: described('Centimes. Null for an OPEN intent.', field.orNull(field.amountSchema)),
  amountType: described(
    'FIXED: you set the amount. OPEN: the customer chooses it.',
    field.oneOf(['FIXED', 'OPEN']),
  ),
  currency: field.currencySchema,
  label: described('The text that the customer sees.', field.textOrNull(200)),
  merchantReference: described(
    'Your own reference of the payment. Null if you sent none.',
    field.textOrNull(64),
  ),
  status: { type: 'string', const: 'PENDING' },
  sandbox: field.sandboxSchema,
  metadata: described('The data that you sent when you created the intent.', {
    type: 'object',
    maxProperties,
    propertyNames: { minLength: 1, maxLength: propertyNames.maxLength, pattern: field.withoutNul },
    additionalProperties: field.textUpTo(500),
  }),
  expiresAt: described('When the intent becomes CANCELLED if it is not paid.', field.instant),
  createdAt: field.instant,
}

/** These fields never change. Events contain them in snake_case (event-bodies.ts). */
export const intentEventFields = {
  referenceNumber: described('The `referenceNumber` of the payment intent.', field.intentReferenceSchema),
  shortCode: newFields.shortCode,
  merchantReference: newFields.merchantReference,
  currency: field.currencySchema,
  metadata: newFields.metadata,
}

export const createdIntentSchema = field.objectOf(newFields)

const commission = field.objectOf({
  providerTtc: described('Your fee.', field.count),
  payerTtc: described("The customer's fee.", field.count),
  tof: described('The tax TOF.', field.count),
  tte: described('The tax TTE.', field.count),
  totalRevenue: described('The fees without the taxes.', field.count),
})

export const paymentSchema = field.objectOf({
  amountPaid: described('Centimes, without any fee that the customer pays.', field.amountSchema),
  paidAt: field.instant,
  method: { type: 'string', const: 'WALLET' },
  commission: described(
    'Centimes. The fees and the taxes that they include. Null for a publishable key.',
    field.nullable(commission),
  ),
})

/** A refund that the wallet didn't carry out disappears from responses. */
export const refundSchema = field.objectOf({
  id: field.textMatching('^RF-[0-9A-Z]{16}$', 19),
  amount: described('Centimes.', field.amountSchema),
  returnedFees: described(
    'Centimes. The parts of the fees that the refund gives back. Null for a publishable key.',
    field.nullable(
      field.objectOf({
        providerTtc: described('The part of your fee that you get back.', field.count),
        payerTtc: described(
          "The part of the customer's fee, which the customer gets back in addition to the amount.",
          field.count,
        ),
      }),
    ),
  ),
  currency: field.currencySchema,
  reason: described('The note that you sent. Null for a publishable key.', field.textOrNull(200)),
  status: described('PENDING until the wallet confirms the refund.', field.oneOf(['PENDING', 'SUCCEEDED'])),
  createdAt: field.instant,
  refundedAt: described('When it succeeded. Null while PENDING.', field.orNull(field.instant)),
})

/** Describes the latest failed payment. Omitted once a payment succeeds. */
export const paymentFailureSchema = field.objectOf({
  code: described('Why the payment failed.', field.oneOf([...declineReasons, ...failureReasons])),
  retryable: described('Whether the customer can try again.', field.booleanSchema),
})

const readFields = {
  ...newFields,
  code: described(
    'The payment code, with which the customer pays at a counter. Null once it no longer works.',
    field.orNull(code),
  ),
  codeExpiresAt: described(
    'When `code` stops working. Null once it no longer works.',
    field.orNull(field.instant),
  ),
  codeUrl: described(
    'The page where the customer types `code`. Null if `code` is null.',
    field.orNull(field.urlSchema),
  ),
  status: field.oneOf(intentStatuses),
  type: { type: 'string', const: 'API' },
  payment: described('Null until the intent is paid.', field.nullable(paymentSchema)),
  refunds: described('Oldest first.', field.listOf(refundSchema, maxRefunds)),
  totalAmountRefunded: described('Centimes. The sum of the refunds that SUCCEEDED.', field.count),
  updatedAt: field.instant,
}

const optionalFields = {
  cancellationReason: described('Present only if the status is CANCELLED.', field.oneOf(cancellationReasons)),
  failure: paymentFailureSchema,
}

export const intentSchema = field.objectOf(readFields, optionalFields)

export const refundedIntentSchema = field.objectOf({ ...readFields, refund: refundSchema }, optionalFields)

export const intentPageSchema = field.pageSchema(intentSchema)
