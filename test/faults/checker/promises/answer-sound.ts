import type { Call } from '../../evidence/evidence.ts'
import type { Broken, Judge, Round } from '../round.ts'
import { refusalOf } from '../views/answers.ts'
import { busyIn } from '../views/busy.ts'
import { statusOf } from '../views/catalogue.ts'
import { repeatedOf } from '../views/groups.ts'
import { settles } from '../views/times.ts'

const marginMs = 200

/**
 * Every answer is one of the catalogue, in the envelope, with a request id of its own; "come again" is said, and an answer is missing, only while
 * something is wrong or just was.
 */
export const answerSound: Judge = function* (round) {
  const isBusy = busyIn(round)
  for (const call of round.calls) {
    yield* missing(round, call)
    if (call.status !== null) yield* sound(round, call, call.status, isBusy)
  }
  const ids = round.calls.filter(
    ({ status, headers }) => status !== null && headers['x-request-id'] !== undefined,
  )
  for (const { call, headers } of repeatedOf(ids, (each) => each.headers['x-request-id']))
    yield { of: `call ${call}`, says: `another answer has its request id ${headers['x-request-id']}` }
}

const nameOf = ({ call, what, method, path }: Call): string => `call ${call} ${what} ${method} ${path}`

/** Some clients give up early, of their own accord: then nothing is missing. One that was answered counts where a patient one would have been told. */
function* missing(round: Round, call: Call): Generator<Broken> {
  const waitedMs = call.ended - call.began
  const isPatient = call.timeoutMs >= round.setting.clientPatienceMs
  const gaveUp = !isPatient && (call.status !== null || waitedMs >= call.timeoutMs - marginMs)
  const span = { from: call.began, to: call.status === null ? call.ended : call.began + call.timeoutMs }
  if (!gaveUp && round.isDue('answer.sound', span, settles.requests) && call.status === null)
    yield { of: nameOf(call), says: `got no answer in ${waitedMs} ms, and nothing was wrong` }
}

function* sound(
  round: Round,
  call: Call,
  status: number,
  isBusy: (call: Call) => boolean,
): Generator<Broken> {
  const of = nameOf(call)
  if (call.headers['x-request-id'] === undefined)
    yield { of, says: `was answered ${status} without X-Request-Id` }
  if (status >= 500 && status !== 503)
    yield { of, says: `was answered ${status}: ${JSON.stringify(call.answer).slice(0, 300)}` }
  const span = { from: call.began, to: call.ended }
  if (status === 503 && !isBusy(call) && round.times.isCalm(span, settles.requests))
    yield {
      of,
      says: `was answered 503, and nothing was wrong: ${JSON.stringify(call.answer).slice(0, 300)}`,
    }
  if (call.path.startsWith('/api/')) yield* enveloped(of, call, status)
}

function* enveloped(of: string, call: Call, status: number): Generator<Broken> {
  const type = call.headers['content-type'] ?? ''
  if (call.what === 'product.export' && status === 200) return
  const answer = call.answer as { success?: unknown; data?: unknown } | null
  if (!type.startsWith('application/json') || typeof answer !== 'object' || answer === null)
    return yield { of, says: `was answered ${status} ${type} and no JSON` }
  if (status < 400) {
    if (answer.success !== true || answer.data === undefined)
      yield { of, says: `was answered ${status} without success and data` }
    return
  }
  const refusal = refusalOf(call)
  if (answer.success !== false || refusal === null)
    return yield { of, says: `was answered ${status} without an error` }
  if (
    refusal.statusCode !== status ||
    statusOf[refusal.code] !== status ||
    typeof refusal.message !== 'string'
  )
    yield {
      of,
      says: `was answered ${status} with ${refusal.code} ${refusal.statusCode}, which the catalogue does not have`,
    }
}
