import { count, objectOf, saying, shaped, text } from './fields.ts'

/** As many faults as a response names. */
const mostFaults = 100

/** A field of the request and what is wrong with it. */
export const fieldFault = objectOf(
  {
    param: saying('The field at fault.', text(1000)),
    code: saying('As `error.code` would be if it were the only one.', shaped('^[A-Z_]+$', 64)),
    message: saying('For people; it may change.', text(2000)),
  },
  {},
)

/** The limits that a request may be over (docs/api.md, "Limits"), and what `limit` counts of each. */
const rateLimitScopes = {
  key: 'requests of the key',
  address: 'requests of the address with credentials that are missing, malformed or unknown',
  connection: 'requests that wait for their responses on the connection',
  bodies: 'bytes of bodies over 16 KiB that the key has under way',
  responses: 'bytes of responses over 16 KiB that the business has not read yet',
  lists: 'lists, or exports, of the business at once',
  codes: 'payment codes of live mode that the business has in use',
  sandbox: 'what the test keys of the business made today',
}

/** `details` of RATE_LIMITED. */
export const rateLimitDetails = {
  ...objectOf(
    {
      scope: saying(
        `Which limit it was. ${Object.entries(rateLimitScopes)
          .map(([scope, counted]) => `\`${scope}\`: ${counted}`)
          .join('; ')}.`,
        { type: 'string', enum: Object.keys(rateLimitScopes) },
      ),
    },
    {
      limit: saying('How many there may be, of what `scope` counts.', count),
      windowSeconds: saying('In how many seconds, of `key` and `address`.', count),
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
        code: saying('What programs read.', shaped('^[A-Z_]+$', 64)),
        message: saying('For people; it may change.', text(2000)),
        statusCode: { type: 'integer', minimum: 400, maximum: 599 },
        requestId: saying('As in X-Request-Id: what support asks for.', {
          type: 'string',
          format: 'uuid',
          maxLength: 36,
        }),
      },
      {
        param: saying('The field at fault, as in `variants[1].price`.', text(1000)),
        details: saying('More about it: every field at fault, or what docs/errors.md says of the code.', {
          anyOf: [
            { type: 'array', maxItems: mostFaults, items: fieldFault },
            rateLimitDetails,
            { type: 'object', additionalProperties: true },
          ],
        }),
      },
    ),
  },
  {},
)
