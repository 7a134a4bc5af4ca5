import { createTestIntentBody, intentStatuses, maxRefunds } from '../intents.ts'
import { cancellationReasons, declineReasons, failureReasons } from '../payment-reasons.ts'
import { described } from '../requests.ts'
import * as field from './fields.ts'

const code = field.patternSchema('^[0-9]{6}$', 6)
const { maxProperties, propertyNames } = createTestIntentBody.properties.metadata

const newFields = {
  referenceNumber: described('Identifies the intent in all other operations.', field.intentReferenceSchema),
  shortCode: described('The last part of `payUrl`.', field.patternSchema('^[0-9A-Z]{6}$', 6)),
  code: described('The payment code, with which the customer pays at a counter.', code),
  codeExpiresAt: described('When `code` stops working.', field.instantSchema),
  codeUrl: described('The page where the customer types `code`.', field.urlSchema),
  payUrl: described('The page where the customer pays.', field.urlSchema),
  amount: described('Centimes. Null for an OPEN intent.', field.nullableType(field.amountSchema)),
  amountType: described('OPEN: the customer chooses the amount.', field.enumSchema(['FIXED', 'OPEN'])),
  currency: field.currencySchema,
  label: described('The text that the customer sees.', field.nullableText(200)),
  merchantReference: described('Your own reference. Null if you sent none.', field.nullableText(64)),
  status: { type: 'string', const: 'PENDING' },
  sandbox: field.sandboxSchema,
  metadata: described('The data that you sent when you created the intent.', {
    type: 'object',
    maxProperties,
    propertyNames: { minLength: 1, maxLength: propertyNames.maxLength, pattern: field.noNulPattern },
    additionalProperties: field.textSchema(500),
  }),
  expiresAt: described('When the intent becomes CANCELLED if it is not paid.', field.instantSchema),
  createdAt: field.instantSchema,
}

/** These fields never change. Events contain them in snake_case. */
export const intentEventFields = {
  referenceNumber: described('The `referenceNumber` of the payment intent.', field.intentReferenceSchema),
  shortCode: newFields.shortCode,
  merchantReference: newFields.merchantReference,
  currency: field.currencySchema,
  metadata: newFields.metadata,
}

export const createdIntentSchema = field.objectSchema(newFields)

const commission = field.objectSchema({
  providerTtc: described('Your fee.', field.countSchema),
  payerTtc: described("The customer's fee.", field.countSchema),
  tof: described('The tax TOF.', field.countSchema),
  tte: described('The tax TTE.', field.countSchema),
  totalRevenue: described('The fees without the taxes.', field.countSchema),
})

export const paymentSchema = field.objectSchema({
  amountPaid: described('Centimes, without any fee that the customer pays.', field.amountSchema),
  paidAt: field.instantSchema,
  method: { type: 'string', const: 'WALLET' },
  commission: described('Centimes. Null for a publishable key.', field.nullableSchema(commission)),
})

/** Responses omit a refund that the wallet didn't carry out. */
export const refundSchema = field.objectSchema({
  id: field.patternSchema('^RF-[0-9A-Z]{16}$', 19),
  amount: described('Centimes.', field.amountSchema),
  returnedFees: described(
    'The fees returned with this refund, in centimes. Null for a publishable key.',
    field.nullableSchema(
      field.objectSchema({
        providerTtc: described('The part of your fee that you get back.', field.countSchema),
        payerTtc: described('Returned to the customer in addition to the amount.', field.countSchema),
      }),
    ),
  ),
  currency: field.currencySchema,
  reason: described('The note that you sent. Null for a publishable key.', field.nullableText(200)),
  status: described('PENDING until the wallet confirms it.', field.enumSchema(['PENDING', 'SUCCEEDED'])),
  createdAt: field.instantSchema,
  refundedAt: described('When it succeeded. Null while PENDING.', field.nullableInstant),
})

/** Describes the latest failed payment. Omitted once a payment succeeds. */
export const paymentFailureSchema = field.objectSchema({
  code: described('Why the payment failed.', field.enumSchema([...declineReasons, ...failureReasons])),
  retryable: described('Whether the customer can try again.', field.booleanSchema),
})

const readFields = {
  ...newFields,
  code: described('The payment code. Null once it no longer works.', field.nullableType(code)),
  codeExpiresAt: described('When `code` stops working. Null if `code` is null.', field.nullableInstant),
  codeUrl: described('Where the customer types `code`, or null.', field.nullableType(field.urlSchema)),
  status: field.enumSchema(intentStatuses),
  type: { type: 'string', const: 'API' },
  payment: described('Null until the intent is paid.', field.nullableSchema(paymentSchema)),
  refunds: described('Oldest first.', field.listSchema(refundSchema, maxRefunds)),
  totalAmountRefunded: described('Centimes. The sum of the refunds that SUCCEEDED.', field.countSchema),
  updatedAt: field.instantSchema,
}

const optional = {
  cancellationReason: described('Present only when CANCELLED.', field.enumSchema(cancellationReasons)),
  failure: paymentFailureSchema,
}

export const intentSchema = field.objectSchema(readFields, optional)

export const refundedIntentSchema = field.objectSchema({ ...readFields, refund: refundSchema }, optional)

export const intentPageSchema = field.pageSchema(intentSchema)
