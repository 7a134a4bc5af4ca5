import { count, objectOf, saying, shaped, text } from './fields.ts'

/** The most field faults in one response. */
const mostFaults = 100

/** A field of the request and what is wrong with it. */
export const fieldFault = objectOf(
  {
    param: saying('The field at fault.', text(1000)),
    code: saying('The `error.code` if this were the only fault.', shaped('^[A-Z_]+$', 64)),
    message: saying('For people; it may change.', text(2000)),
  },
  {},
)

/** The limits that a request may exceed (docs/api.md, "Limits"), and what each counts. */
const rateLimitScopes = {
  key: 'requests of the key',
  address: 'requests of the client address with missing, malformed or unknown credentials',
  connection: 'requests on the connection that wait for their responses',
  bodies: 'bytes of the request bodies over 16 KiB that the key is sending',
  responses: 'bytes of the responses over 16 KiB that the business has not read yet',
  lists: 'lists or exports of the business that run at once',
  tests: 'endpoint tests of the business that run at once',
  codes: 'live payment codes of the business that are in use',
  sandbox: 'what the test keys of the business created today, or their other writes today',
}

/** `details` of RATE_LIMITED. */
export const rateLimitDetails = {
  ...objectOf(
    {
      scope: saying(
        `The limit that was exceeded. ${Object.entries(rateLimitScopes)
          .map(([scope, counted]) => `\`${scope}\`: ${counted}`)
          .join('; ')}.`,
        { type: 'string', enum: Object.keys(rateLimitScopes) },
      ),
    },
    {
      limit: saying('The maximum of what `scope` counts.', count),
      windowSeconds: saying(
        'The seconds that the limit covers, for `key` and `address`, and for `responses` if they are paced.',
        count,
      ),
    },
  ),
  additionalProperties: true,
}

/** The body of every response that is not a success (SPEC 7). */
export const failureBody = objectOf(
  {
    success: { type: 'boolean', const: false },
    error: objectOf(
      {
        code: saying('For programs; it does not change.', shaped('^[A-Z_]+$', 64)),
        message: saying('For people; it may change.', text(2000)),
        statusCode: { type: 'integer', minimum: 400, maximum: 599 },
        requestId: saying('The value of X-Request-Id. Give it to support.', {
          type: 'string',
          format: 'uuid',
          maxLength: 36,
        }),
      },
      {
        param: saying('The field at fault, for example `variants[1].price`.', text(1000)),
        details: saying(
          'More about the failure: every field at fault, or the fields that docs/errors.md lists for the code.',
          {
            anyOf: [
              { type: 'array', maxItems: mostFaults, items: fieldFault },
              rateLimitDetails,
              { type: 'object', additionalProperties: true },
            ],
          },
        ),
      },
    ),
  },
  {},
)
