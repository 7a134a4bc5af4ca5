import { described } from '../requests.ts'
import * as field from './fields.ts'

export const fieldFaultSchema = field.objectSchema({
  param: described('The name of the field.', field.textSchema(1000)),
  code: described('The error code of this fault.', field.patternSchema('^[A-Z_]+$', 64)),
  message: described('What is wrong with the field. The text may change.', field.textSchema(2000)),
})

/** The keys are the values of `details.scope`. */
const rateLimitScopes = {
  key: 'requests with this key',
  address: 'requests from this IP address with a publishable key or without a valid key',
  bodies: 'bytes of the request bodies over 16 KiB that the business is sending now',
  responses: 'bytes of the responses over 16 KiB that the business has not read yet',
  lists: 'lists and exports of the business that run now',
  tests: 'endpoint tests of the business that run now',
  replays: 'running replays of the webhook endpoint, or replays that the business started today',
  polls: 'requests for the event feed of the business that the service is holding',
  codes: 'payment codes of the business that are in use',
  audit: 'what the live, or the test, keys of the business changed, retried and replayed today',
  sandbox: 'intents, orders and products that the test keys of the business created today',
  storage: 'bytes or documents that the live, or the test, keys of the business stored today',
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
      code: described('The error code, which never changes.', field.patternSchema('^[A-Z_]+$', 64)),
      message: described('An explanation for people. The text may change.', field.textSchema(2000)),
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
