import { count, objectOf, saying, text } from './fields.ts'

/** The body of every answer that is not a success (SPEC 7). */
export const failureBody = objectOf(
  {
    success: { type: 'boolean', const: false },
    error: objectOf(
      {
        code: saying('What programs read.', text),
        message: saying('For people; it may change.', text),
        statusCode: { type: 'integer' },
        requestId: saying('As in X-Request-Id: what support asks for.', text),
      },
      {
        param: saying('The field at fault, as in `variants[1].price`.', text),
        details: saying('More about it: every field at fault, or what docs/errors.md says of the code.', {
          type: ['object', 'array'],
        }),
      },
    ),
  },
  {},
)

/** Which of the limits it was, of RATE_LIMITED (docs/api.md, "Limits"). */
export const rateLimitDetails = objectOf(
  {
    scope: saying(
      'The key; the address, of callers whose credentials are missing, malformed or unknown; the connection, on which so many requests wait for their answers; the bodies over 16 KiB that are under way; the responses over 16 KiB that are made or not read yet; the lists and exports of the business that run; the payment codes of live mode that the business has in use; or what its test keys made in the sandbox today.',
      {
        type: 'string',
        enum: ['key', 'address', 'connection', 'bodies', 'responses', 'lists', 'codes', 'sandbox'],
      },
    ),
    limit: saying(
      'Requests; of bodies, bytes of one key; of responses, bytes of one business; of lists, how many run at once; of codes and the sandbox, how many there may be.',
      count,
    ),
  },
  { windowSeconds: saying('In how many seconds; for a key and an address only.', count) },
)
