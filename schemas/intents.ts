import {
  described,
  listQuery,
  normalisedText,
  type SchemaValue,
  spanQuery,
  spanSchemas,
  storableText,
} from './requests.ts'

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
