import type { IntentDocument } from '../../../invariants/documents.ts'
import { groupsOf } from '../groups.ts'
import { pageOf, shortCodeIn } from '../responses.ts'
import type { Check } from '../round.ts'

/**
 * A payment code in use belongs to one intent: among all businesses in production, within one business in the sandbox.
 * A code leads to no other intent.
 */
export const codeUnique: Check = function* ({ dump: { intents }, calls, times, intentAt }) {
  for (const some of groupsOf(intents, scopeOf).values()) {
    const inTime = some.toSorted((one, other) => one.createdAt - other.createdAt)
    for (const [index, { referenceNumber, code, createdAt }] of inTime.entries()) {
      const before = inTime[index - 1]
      if (before !== undefined && createdAt < before.codeReusableAt)
        yield [referenceNumber, `got the code ${code} while ${before.referenceNumber} was using it`]
    }
  }

  for (const call of calls) {
    const found = intentAt(shortCodeIn(pageOf(call)?.location ?? ''))
    if (call.what !== 'pay.code' || found === undefined) continue
    const { code = '' } = (call.body ?? {}) as { code?: string }
    if (code.replaceAll(/\D/g, '') !== found.code)
      yield [found.referenceNumber, `was found by the code ${code}, and has ${found.code}`]
    if (times.shownOf(call).from > found.codeExpiresAt)
      yield [found.referenceNumber, 'was found by a code that had expired']
  }
}

const scopeOf = ({ sandbox, businessId, code }: IntentDocument): string =>
  sandbox ? `test:${businessId}:${code}` : `live:${code}`
