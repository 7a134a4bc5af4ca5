/**
 * Body of POST /dev/intents (SPEC 4.1). `errorCodes` gives the error code for each keyword that fails (`*` for any other keyword). Without it the
 * code is VALIDATION_ERROR. Lengths are in Unicode code points.
 */
const createIntentBody = <Format extends string>(redirectFormat: Format) =>
  ({
    type: 'object',
    properties: {
      amount: {
        description: 'Centimes. Required for FIXED, a suggestion for OPEN.',
        type: 'integer',
        format: 'amount',
        errorCodes: { format: 'AMOUNT_OUT_OF_RANGE' },
      },
      amountType: {
        description: 'Defaults to FIXED. With OPEN, the customer chooses the amount.',
        enum: ['FIXED', 'OPEN'],
        errorCodes: { '*': 'INVALID_AMOUNT_TYPE' },
      },
      label: {
        description: 'Shown to the customer.',
        type: 'string',
        maxLength: 200,
        format: 'storable-text',
        errorCodes: { maxLength: 'LABEL_TOO_LONG' },
      },
      metadata: {
        description: 'Your own data. Returned with the intent and in its events.',
        type: 'object',
        maxProperties: 50,
        propertyNames: { minLength: 1, maxLength: 64, format: 'storable-text' },
        additionalProperties: {
          type: 'string',
          maxLength: 500,
          format: 'storable-text',
          errorCodes: { '*': 'INVALID_METADATA', maxLength: 'METADATA_VALUE_TOO_LONG' },
        },
        errorCodes: { '*': 'INVALID_METADATA', maxProperties: 'METADATA_TOO_MANY_KEYS' },
      },
      success_url: { description: 'Where the customer goes after paying.', ...redirectUrl(redirectFormat) },
      cancel_url: { description: 'Where the customer goes otherwise.', ...redirectUrl(redirectFormat) },
    },
    if: { properties: { amountType: { const: 'OPEN' } }, required: ['amountType'] },
    else: { required: ['amount'] },
  }) as const

const redirectUrl = <Format extends string>(format: Format) =>
  ({ type: 'string', format, errorCodes: { '*': 'INVALID_REDIRECT_URL' } }) as const

/** With a live key, redirect URLs must be https. A test key also allows localhost. */
export const createLiveIntentBody = createIntentBody('https-url')
export const createTestIntentBody = createIntentBody('https-or-localhost-url')

export interface CreateIntentBody {
  amount?: number
  amountType?: 'FIXED' | 'OPEN'
  label?: string
  metadata?: Record<string, string>
  success_url?: string
  cancel_url?: string
}
