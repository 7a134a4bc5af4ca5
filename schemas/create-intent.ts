/**
 * Body of POST /dev/intents (SPEC 4.1). `errorCodes` names the code of the catalogue for a keyword that fails
 * (`*` for any other); without it a fault is a VALIDATION_ERROR. Lengths count Unicode code points.
 */
const createIntentBody = <Format extends string>(redirectFormat: Format) =>
  ({
    type: 'object',
    properties: {
      amount: {
        description: 'Centimes. Required for FIXED; for OPEN a suggestion.',
        type: 'integer',
        format: 'amount',
        errorCodes: { format: 'AMOUNT_OUT_OF_RANGE' },
      },
      amountType: {
        description: 'FIXED where nothing is said. OPEN: the customer chooses the amount.',
        enum: ['FIXED', 'OPEN'],
        errorCodes: { '*': 'INVALID_AMOUNT_TYPE' },
      },
      label: {
        description: 'What the customer is shown.',
        type: 'string',
        maxLength: 200,
        format: 'storable-text',
        errorCodes: { maxLength: 'LABEL_TOO_LONG' },
      },
      metadata: {
        description: 'Yours: returned with the intent and in its events.',
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

/** With a live key a customer is only sent back over https; with a test key also to localhost. */
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
