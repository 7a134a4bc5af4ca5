import type { Call } from '../../evidence/evidence.ts'
import { groupsOf } from '../groups.ts'
import { errorOf } from '../responses.ts'
import type { Check } from '../round.ts'

/** Refusals that depend on state or load. Tests of the API prove when each of them is right. */
const dependOnState = new Set([
  ...['INTENT', 'DELIVERY', 'ORDER', 'PRODUCT', 'ENDPOINT', 'SHOP', 'REPLAY'].map(
    (noun) => `${noun}_NOT_FOUND`,
  ),
  ...'ENDPOINT_NOT_ACTIVE MAX_ENDPOINTS_REACHED MERCHANT_REFERENCE_TAKEN INSUFFICIENT_STOCK INTENT_NOT_PENDING'.split(
    ' ',
  ),
  ...'INTENT_CANCEL_INVALID_STATUS INTENT_CANCEL_CONFLICT INTENT_REFUND_INVALID_STATUS'.split(' '),
  ...'AMOUNT_OUT_OF_RANGE REFUND_AMOUNT_MISMATCH PAYMENT_FAILED REFUND_FAILED'.split(' '),
  ...'IDEMPOTENCY_REQUEST_IN_PROGRESS REQUEST_TIMEOUT RATE_LIMITED'.split(' '),
])

/** With fewer calls, chance decides how many succeed. */
const minCount = 20
const minShare = 1 / 20

/** A good request is refused only because of the state, and some requests of each kind succeed. */
export const refusalDue: Check = function* (round) {
  const isGood = ({ expects, status, actor, what }: Call): boolean =>
    expects.length === 0 && status !== null && status < 500 && actor !== 'stranger' && what !== 'overreach'
  const good = round.calls.filter(isGood)
  for (const call of good) {
    const { call: number, what, path, status, business } = call
    const code = errorOf(call)?.code ?? ''
    const isRefused = business !== null && (status ?? 0) >= 400 && !dependOnState.has(code)
    if (isRefused && !isOfAnotherBody(round.calls, call))
      yield [`call ${number} ${what} ${path}`, `got ${status} ${code}: ${JSON.stringify(call.body)}`]
  }
  for (const [what, calls] of groupsOf(good, (call) => call.what)) {
    const done = calls.filter(({ status }) => (status ?? 0) < 400).length
    if (calls.length >= minCount && done < calls.length * minShare)
      yield [what, `was refused ${calls.length - done} of ${calls.length} times`]
  }
}

/** Whether the response is a replay of that to a bad body under the same key. */
const isOfAnotherBody = (calls: Call[], { idempotencyKey, keyId, path }: Call): boolean =>
  idempotencyKey !== null &&
  calls.some(
    (other) =>
      other.idempotencyKey === idempotencyKey &&
      other.keyId === keyId &&
      other.path === path &&
      other.expects.length > 0,
  )
