import { described } from '../requests.ts'
import * as field from './fields.ts'

export const fieldFaultSchema = field.objectSchema({
  param: described('The name of the field.', field.textSchema(1000)),
  code: described('The error code of this fault.', field.patternSchema('^[A-Z_]+$', 64)),
  message: described('What is wrong with the field. The wording may change.', field.textSchema(2000)),
})

/** The keys are the values of `details.scope`. */
const rateLimitScopes = {
  key: 'requests with this key',
  address: 'requests from this IP address with a publishable key or without a valid key',
  bodies: 'bytes of request bodies over 16 KiB that the business is sending',
  responses: 'bytes of responses over 16 KiB that the business has not read yet',
  lists: "the business's running lists and exports",
  tests: "the business's running endpoint tests",
  replays: 'running replays of the webhook endpoint, or replays that the business started today',
  polls: "the business's waiting requests for the event feed",
  codes: "the business's payment codes that are in use",
  audit: "today's changes, retries and replays with the business's live keys, or with its test keys",
  sandbox: "intents, orders and products created today with the business's test keys",
  storage: "bytes or documents stored today with the business's live keys, or with its test keys",
}

export type RateLimitScope = keyof typeof rateLimitScopes

export const rateLimitDetailsSchema = {
  ...field.objectSchema(
    {
      scope: described(
        `The limit that was exceeded. ${Object.entries(rateLimitScopes)
          .map(([scope, counted]) => `\`${scope}\`: ${counted}`)
          .join('; ')}.`,
        field.enumSchema(Object.keys(rateLimitScopes)),
      ),
    },
    {
      limit: described('The highest number or size that the limit allows.', field.countSchema),
      windowSeconds: described('The window in seconds, if there is one.', field.countSchema),
    },
  ),
  additionalProperties: true,
}

export const failureSchema = field.objectSchema({
  success: { type: 'boolean', const: false },
  error: field.objectSchema(
    {
      code: described(
        'The error code for your program to read. It never changes.',
        field.patternSchema('^[A-Z_]+$', 64),
      ),
      message: described('A human-readable explanation. The wording may change.', field.textSchema(2000)),
      statusCode: field.integerSchema(400, 599),
      requestId: described('Also in the header X-Request-Id. Include it when you contact support.', {
        type: 'string',
        format: 'uuid',
        maxLength: 36,
      }),
    },
    {
      param: described('The first invalid field, such as `variants[1].price`.', field.textSchema(1000)),
      details: described('A list of all invalid fields, or an object whose fields depend on the code.', {
        anyOf: [
          field.listSchema(fieldFaultSchema, 100),
          rateLimitDetailsSchema,
          { type: 'object', additionalProperties: true },
        ],
      }),
    },
  ),
})
