import type { Call } from '../../evidence/evidence.ts'
import { reasonOfPage } from '../refusals/of-pages.ts'
import { reasons } from '../refusals/reasons.ts'
import type { Refusal } from '../refusals/refusal.ts'
import type { Broken, Judge, Round } from '../round.ts'
import { isReplay, refusalOf } from '../views/answers.ts'
import type { Request } from '../views/requests.ts'

/**
 * Nobody is refused without a reason: each 4xx to a key says what its asker knew to be wrong with it, or what may have been so by the history of what it is
 * about. A customer who is right is let pay, and staff are let in. A service that is never wrong because it does nothing breaks this.
 */
export const refusalDue: Judge = function* (round) {
  yield* ofKeys(round)
  yield* atPages(round)
}

function* atPages(round: Round): Generator<Broken> {
  for (const call of round.calls) {
    const reason = reasonOfPage(round, call)
    if (reason === null || reason(round, { call, request: null, span: spanOf(call, null) })) continue
    yield {
      of: `call ${call.call} ${call.what} ${call.method} ${call.path}`,
      says: `was turned away with ${call.status}, and nothing was wrong with it`,
    }
  }
}

function* ofKeys(round: Round): Generator<Broken> {
  const requestOf = new Map(round.requests.flatMap((request) => request.tries.map((call) => [call, request])))
  for (const call of round.calls) {
    const { status, business, actor } = call
    const isAsked = business !== null && actor !== 'stranger'
    if (!isAsked || status === null || status < 400 || status >= 500) continue
    const code = refusalOf(call)?.code ?? ''
    const request = requestOf.get(call) ?? null
    const expects = (request?.tries ?? [call]).flatMap((each) => each.expects)
    if (expects.includes(code) || request?.isAcrossDays) continue
    const reason = reasons[code]
    const refusal: Refusal = { call, request, span: spanOf(call, request) }
    if (reason === undefined || !reason(round, refusal))
      yield {
        of: `call ${call.call} ${call.what} ${call.method} ${call.path}`,
        says: `was refused with ${status} ${code}, and nothing was wrong with it: ${JSON.stringify(call.body)}`,
      }
  }
}

/** A replay tells what was decided some time since the first try. */
const spanOf = (call: Call, request: Request | null) => ({
  from: isReplay(call) ? Math.min(...(request?.tries ?? [call]).map(({ began }) => began)) : call.began,
  to: call.ended,
})
