import { objectOf, saying, text } from './fields.ts'

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
