import type { Call, What } from '../../evidence/evidence.ts'
import { groupsOf, repeatedOf } from '../groups.ts'
import type { Request } from '../requests.ts'
import { errorOf } from '../responses.ts'
import type { Check, Findings, Round } from '../round.ts'
import { settles } from '../times.ts'

/** The statuses of refusals in the API. */
const refusals = [400, 401, 402, 403, 404, 408, 409, 413, 415, 429, 431]

/** Every call gets an enveloped response with a new request id. Only a fault causes a 503 or a missing response. */
export const responseSound: Check = function* (round) {
  const requestOf = new Map(round.requests.flatMap((request) => request.calls.map((call) => [call, request])))
  for (const call of round.calls) {
    yield* missing(round, call)
    if (call.status !== null) yield* sound(round, call, call.status, requestOf.get(call))
  }
  const withId = round.calls.filter(({ headers }) => headers['x-request-id'] !== undefined)
  for (const call of repeatedOf(withId, ({ headers }) => headers['x-request-id']))
    yield [nameOf(call), `has the request id of another response: ${call.headers['x-request-id']}`]
}

const nameOf = ({ call, what, method, path }: Call): string => `call ${call} ${what} ${method} ${path}`
const marginMs = 200

/** Reports missing responses, except to clients that disconnected early on purpose. Counts each response that came. */
function* missing(round: Round, call: Call): Findings {
  const waitedMs = call.ended - call.began
  const waitsLongEnough = call.timeoutMs >= round.setting.clientTimeoutMs
  const gaveUp = !waitsLongEnough && (call.status !== null || waitedMs >= call.timeoutMs - marginMs)
  const span = { from: call.began, to: call.status === null ? call.ended : call.began + call.timeoutMs }
  if (!gaveUp && round.isDue('response.sound', span, settles.requests) && call.status === null)
    yield [nameOf(call), `got no response in ${waitedMs} ms, without a fault`]
}

function* sound(round: Round, call: Call, status: number, request?: Request): Findings {
  const subject = nameOf(call)
  const response = `${status} ${JSON.stringify(call.response).slice(0, 300)}`
  if (call.headers['x-request-id'] === undefined) yield [subject, `got ${status} without X-Request-Id`]
  const isCalm = round.times.isCalm({ from: call.began, to: call.ended }, settles.requests)
  if (status >= 500 && (status !== 503 || (isCalm && !mayBeBusy(round, call, request))))
    yield [subject, `got ${response}, without a fault`]
  if (!call.path.startsWith('/api/') || (call.what === 'product.export' && status === 200)) return
  const { success, data } = (call.response ?? {}) as { success?: boolean; data?: unknown }
  const error = errorOf(call)
  const isEnveloped =
    status < 400 ? success === true && data !== undefined : success === false && error?.statusCode === status
  if (!isEnveloped) yield [subject, `got a response outside the envelope: ${response}`]
  if (status >= 400 && status < 500 && !refusals.includes(status))
    yield [subject, `got a status that the API does not have: ${response}`]
}

/** These wait for stock that another order holds, or for a refund whose outcome is unknown. */
const waiting: readonly What[] = ['order', 'stock', 'import', 'refund']
/** How long the traffic repeats requests after the last fault. */
const repeatsMs = 55_000

/** Whether a call may get a 503 without a fault, because a later call with the same key gets its response. */
function mayBeBusy({ setting, faults }: Round, { what, sandbox, ended }: Call, request?: Request): boolean {
  if (!waiting.includes(what) || request === undefined) return false
  const isOver = request.ended >= setting.healedAt + repeatsMs
  const hasJumped = faults.some((fault) => fault.what === 'clock.jump' && fault.began >= ended)
  return request.settled !== null || isOver || hasJumped || (what === 'refund' && sandbox === false)
}

/** Refusals that depend on state or load. Tests of the API prove when each of them is right. */
const dependOnState = new Set([
  ...['INTENT', 'DELIVERY', 'ORDER', 'PRODUCT', 'ENDPOINT', 'SHOP', 'REPLAY'].map((noun) => `${noun}_NOT_FOUND`),
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
