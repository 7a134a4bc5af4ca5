import {
  dateOrTimeSchema,
  described,
  listQuerySchema,
  normalisedText,
  type SchemaValue,
  spanQuery,
  storableText,
} from './requests.ts'

export const merchantReferenceSchema = normalisedText('reference', 64)

/** `errorCodes` maps keywords to error codes; `*` stands for the others. */
const createIntentBody = <Format extends string>(redirectFormat: Format) =>
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
        'Your own reference of the payment, such as an order number. Only one intent can have it while it is PENDING, PAID or REFUNDED.',
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
      success_url: described(
        'The page to which the customer returns after the payment, https with a live key. An empty text counts as absent.',
        redirectUrl(redirectFormat),
      ),
      cancel_url: described(
        'The page to which the customer returns without a payment, https with a live key. An empty text counts as absent.',
        redirectUrl(redirectFormat),
      ),
    },
    if: { properties: { amountType: { const: 'OPEN' } }, required: ['amountType'] },
    else: { required: ['amount'] },
  }) as const

const redirectUrl = <Format extends string>(format: Format) =>
  ({ type: 'string', format, emptyIsAbsent: true, errorCodes: { '*': 'INVALID_REDIRECT_URL' } }) as const

export const createLiveIntentBody = createIntentBody('https-url')
export const createTestIntentBody = createIntentBody('https-or-localhost-url')

export const intentStatuses = ['PENDING', 'PAID', 'REFUNDED', 'CANCELLED', 'FAILED'] as const
export type IntentStatus = (typeof intentStatuses)[number]

const centimes = { type: 'string', format: 'centimes' } as const

export const intentRangeQuery = {
  paidFrom: described(
    'Only intents paid at or after this ISO 8601 date or date-time. Without an offset, the time is UTC.',
    dateOrTimeSchema,
  ),
  paidTo: described(
    'Only intents paid at or before this date or date-time. A date means the end of that day.',
    dateOrTimeSchema,
  ),
  refundedFrom: described(
    'Only intents with a refund that SUCCEEDED at or after this date or date-time. With `refundedTo`, the same refund must be in the range.',
    dateOrTimeSchema,
  ),
  refundedTo: described(
    'Only intents with a refund that SUCCEEDED at or before this date or date-time. A date means the end of that day.',
    dateOrTimeSchema,
  ),
  minAmount: described(
    'Only intents of at least this many centimes: the amount paid or, if the intent is not paid, its `amount`. An OPEN intent that is not paid has no amount.',
    centimes,
  ),
  maxAmount: { description: 'Only intents of at most this many centimes.', ...centimes },
} as const

export const listIntentsQuery = listQuerySchema({
  status: { description: 'Only intents in this status.', enum: intentStatuses },
  merchantReference: described('Only intents with this merchantReference.', merchantReferenceSchema),
  ...spanQuery.properties,
  ...intentRangeQuery,
})

export type ListIntentsQuery = SchemaValue<typeof listIntentsQuery>

/** Limited because each response with an intent contains all its refunds. */
export const maxRefunds = 1_000

export const refundBody = {
  type: 'object',
  absenceWidens: ['amount', 'expectedRefundable'],
  properties: {
    amount: described('Centimes. Defaults to the whole amount that is not refunded yet.', {
      type: 'integer',
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
      errorCodes: { minimum: 'AMOUNT_OUT_OF_RANGE', maximum: 'AMOUNT_OUT_OF_RANGE' },
    }),
    reason: described('Your own note about the refund.', storableText(200)),
    expectedRefundable: described(
      'Centimes. If this is not exactly the amount that can still be refunded, the response is REFUND_AMOUNT_MISMATCH.',
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
