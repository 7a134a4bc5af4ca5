import type { ValueOf } from './value-of.ts'

/** The merchant's own reference of a payment, in a create request and in the filter of a list. */
export const merchantReference = { type: 'string', maxLength: 64, normalise: 'reference' } as const

/**
 * Returns the schema for the body of a POST /dev/intents request (SPEC 4.1). If a value violates a keyword of the
 * schema, the service returns the error code that `errorCodes` lists for that keyword. If the keyword is not listed,
 * the service returns the code listed for `*`, and if there is no such code, VALIDATION_ERROR. All lengths are measured
 * in Unicode code points.
 */
const createIntentBody = <Format extends string>(redirectFormat: Format) =>
  ({
    type: 'object',
    properties: {
      amount: {
        description:
          'Centimes. Required for a FIXED intent. For an OPEN intent, the amount that the payment page suggests.',
        type: 'integer',
        format: 'amount',
        errorCodes: { format: 'AMOUNT_OUT_OF_RANGE' },
      },
      amountType: {
        description: 'FIXED: you set the amount. OPEN: the customer chooses it. Defaults to FIXED.',
        enum: ['FIXED', 'OPEN'],
        errorCodes: { '*': 'INVALID_AMOUNT_TYPE' },
      },
      label: {
        description: 'A text that the customer sees, such as an order number.',
        type: 'string',
        maxLength: 200,
        format: 'storable-text',
        errorCodes: { maxLength: 'LABEL_TOO_LONG' },
      },
      merchantReference: {
        description:
          'Your own reference of the payment, such as an order number. Only one intent can have it while it is PENDING, PAID or REFUNDED.',
        ...merchantReference,
      },
      metadata: {
        description: 'Your own keys and string values, which the intent and its events contain.',
        type: 'object',
        maxProperties: 50,
        propertyNames: { minLength: 1, maxLength: 255, format: 'storable-text' },
        additionalProperties: {
          type: 'string',
          maxLength: 500,
          format: 'storable-text',
          errorCodes: { '*': 'INVALID_METADATA', maxLength: 'METADATA_VALUE_TOO_LONG' },
        },
        errorCodes: { '*': 'INVALID_METADATA', maxProperties: 'METADATA_TOO_MANY_KEYS' },
      },
      success_url: {
        description: 'The page to which the customer returns after the payment. An empty text counts as absent.',
        ...redirectUrl(redirectFormat),
      },
      cancel_url: {
        description: 'The page to which the customer returns without a payment. An empty text counts as absent.',
        ...redirectUrl(redirectFormat),
      },
    },
    if: { properties: { amountType: { const: 'OPEN' } }, required: ['amountType'] },
    else: { required: ['amount'] },
  }) as const

const redirectUrl = <Format extends string>(format: Format) =>
  ({ type: 'string', format, emptyIsAbsent: true, errorCodes: { '*': 'INVALID_REDIRECT_URL' } }) as const

/** With a live key, redirect URLs must use https. With a test key, localhost URLs are also allowed. */
export const createLiveIntentBody = createIntentBody('https-url')
export const createTestIntentBody = createIntentBody('https-or-localhost-url')

export type CreateIntentBody = ValueOf<typeof createTestIntentBody>
