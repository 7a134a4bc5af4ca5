/**
 * Body of POST /dev/intents (SPEC 4.1). `errorCodes` names the code of the catalogue for a keyword that fails
 * (`*` for any other); without it a fault is a VALIDATION_ERROR. Lengths count Unicode code points.
 */
const createIntentBody = <Format extends string>(redirectFormat: Format) =>
  ({
    type: 'object',
    properties: {
      amount: { type: 'integer', format: 'amount', errorCodes: { format: 'AMOUNT_OUT_OF_RANGE' } },
      amountType: { enum: ['FIXED', 'OPEN'], errorCodes: { '*': 'INVALID_AMOUNT_TYPE' } },
      label: {
        type: 'string',
        maxLength: 200,
        format: 'storable-text',
        errorCodes: { maxLength: 'LABEL_TOO_LONG' },
      },
      metadata: {
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
      success_url: redirectUrl(redirectFormat),
      cancel_url: redirectUrl(redirectFormat),
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
