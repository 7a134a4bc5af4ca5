import { cancellationReasons, declineReasons, failureReasons } from './payment-reasons.ts'
import {
  described,
  listQuery,
  normalisedText,
  type SchemaValue,
  spanQuery,
  spanSchemas,
  storableText,
} from './requests.ts'
import * as field from './responses/fields.ts'

export const merchantReferenceSchema = normalisedText('reference', 64)

/** `errorCodes` maps keywords to error codes; `*` covers all other keywords. */
const createIntentBody = <Format extends string>(redirect: Format) =>
  ({
    type: 'object',
    properties: {
      amount: described(
        'Centimes. Required for a FIXED intent. For an OPEN intent, the amount that the payment page suggests.',
        { type: 'integer', format: 'amount', errorCodes: { format: 'AMOUNT_OUT_OF_RANGE' } },
      ),
      amountType: described('FIXED: you set the amount. OPEN: the customer chooses it. Defaults to FIXED.', {
        enum: ['FIXED', 'OPEN'],
        errorCodes: { '*': 'INVALID_AMOUNT_TYPE' },
      }),
      label: described('A text that the customer sees, such as an order number.', {
        ...storableText(200),
        errorCodes: { maxLength: 'LABEL_TOO_LONG' },
      }),
      merchantReference: described(
        'Your own reference, such as an order number. Only one PENDING, PAID or REFUNDED intent can have it.',
        merchantReferenceSchema,
      ),
      metadata: described('Your own keys and string values, which the intent and its events contain.', {
        type: 'object',
        maxProperties: 50,
        propertyNames: { minLength: 1, maxLength: 255, format: 'storable-text' },
        additionalProperties: {
          ...storableText(500),
          errorCodes: { '*': 'INVALID_METADATA', maxLength: 'METADATA_VALUE_TOO_LONG' },
        },
        errorCodes: { '*': 'INVALID_METADATA', maxProperties: 'METADATA_TOO_MANY_KEYS' },
      }),
      success_url: redirectUrl(redirect, 'after paying'),
      cancel_url: redirectUrl(redirect, 'without paying'),
    },
    if: { properties: { amountType: { const: 'OPEN' } }, required: ['amountType'] },
    else: { required: ['amount'] },
  }) as const

const redirectUrl = <Format extends string>(format: Format, when: string) =>
  ({
    description: `The page to which the customer returns ${when}: https with a live key. Empty means none.`,
    type: 'string',
    format,
    emptyIsAbsent: true,
    errorCodes: { '*': 'INVALID_REDIRECT_URL' },
  }) as const

export const createLiveIntentBody = createIntentBody('https-url')
export const createTestIntentBody = createIntentBody('https-or-localhost-url')

export const intentStatuses = ['PENDING', 'PAID', 'REFUNDED', 'CANCELLED', 'FAILED'] as const
export type IntentStatus = (typeof intentStatuses)[number]

const centimes = { type: 'string', format: 'centimes' } as const

const paid = spanSchemas('Only intents paid')
const refunded = spanSchemas('Only intents with a refund that SUCCEEDED', ' One refund must match both.')

export const intentRangeQuery = {
  paidFrom: paid.from,
  paidTo: paid.to,
  refundedFrom: refunded.from,
  refundedTo: refunded.to,
  minAmount: described(
    'Only intents whose paid amount, or `amount` while unpaid, is at least this many centimes.',
    centimes,
  ),
  maxAmount: { description: 'Only intents of at most this many centimes.', ...centimes },
} as const

export const listIntentsQuery = listQuery({
  status: { description: 'Only intents in this status.', enum: intentStatuses },
  merchantReference: described('Only intents with this merchantReference.', merchantReferenceSchema),
  ...spanQuery.properties,
  ...intentRangeQuery,
})

export type ListIntentsQuery = SchemaValue<typeof listIntentsQuery>

export const tillDayQuery = listQuery({
  day: { type: 'string', maxLength: 10 },
  of: { enum: ['paid', 'unpaid'] },
})

/** Limited because each response with an intent contains all its refunds. */
export const maxRefunds = 1_000

export const refundBody = {
  type: 'object',
  absenceWidens: ['amount', 'expectedRefundable'],
  properties: {
    amount: described('Centimes. Defaults to the amount not refunded yet.', {
      type: 'integer',
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
      errorCodes: { minimum: 'AMOUNT_OUT_OF_RANGE', maximum: 'AMOUNT_OUT_OF_RANGE' },
    }),
    reason: described('Your own note about the refund.', storableText(200)),
    expectedRefundable: described(
      'Centimes. If another amount can still be refunded, you get REFUND_AMOUNT_MISMATCH.',
      { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
    ),
  },
} as const

export const maxPhoneLength = 40

export const simulatePaymentBody = {
  type: 'object',
  absenceWidens: ['amount'],
  properties: {
    amount: {
      ...createTestIntentBody.properties.amount,
      description:
        'Centimes. For an OPEN intent, the amount that the customer chooses. For a FIXED intent, its own amount.',
    },
    payerPhone: described('The phone number of the customer.', {
      type: 'string',
      maxLength: maxPhoneLength,
      format: 'phone',
    }),
    outcome: described('The result of the simulated payment. Defaults to success.', {
      enum: ['success', 'insufficient_funds', 'technical_error'],
    }),
  },
} as const

export type SimulatePaymentBody = SchemaValue<typeof simulatePaymentBody>

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

/** A later version may add a value without breaking a client. */
const openName = field.patternSchema('^[A-Z_]{1,32}$', 32)

export const paymentSchema = field.objectSchema({
  amountPaid: described('Centimes, without any fee that the customer pays.', field.amountSchema),
  paidAt: field.instantSchema,
  method: described('How the customer paid: WALLET. Later versions may add values.', openName),
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
  type: described('What created the intent: API or TILL. Later versions may add values.', openName),
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
