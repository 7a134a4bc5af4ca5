import type { IntentDocument } from '../documents.ts'
import type { Broken, Judge, Round } from '../round.ts'
import { intentsIn, isReplay, pageOf, shortCodeIn } from '../views/answers.ts'
import { groupsOf, repeatedOf } from '../views/groups.ts'

/** A number typed late pays nobody else: a code rests for so long once it stopped to answer. */
const restMs = 15 * 60_000
/** The end of a payment, of PENDING and of a refund are read off clocks one after the other. */
const togetherMs = 1000

/**
 * A payment code is one payment's as long as it is in use: in production over all businesses, in the sandbox within one; short codes and
 * references are for ever.
 */
export const codeUnique: Judge = function* (round) {
  const { intents } = round.dump
  for (const again of repeatedOf(intents, ({ shortCode }) => shortCode))
    yield { of: again.referenceNumber, says: `another intent has its short code ${again.shortCode}` }
  for (const again of repeatedOf(intents, ({ referenceNumber }) => referenceNumber))
    yield { of: again.referenceNumber, says: 'another intent has its reference' }
  for (const some of groupsOf(intents, scopeOf).values()) yield* apart(some)
  for (const intent of intents) yield* rest(round, intent)
  yield* shown(round)
  yield* typed(round)
}

const scopeOf = ({ sandbox, businessId, code }: IntentDocument): string =>
  sandbox ? `test:${businessId}:${code}` : `live:${code}`

function* apart(some: IntentDocument[]): Generator<Broken> {
  const inTime = some.toSorted((one, other) => one.createdAt - other.createdAt)
  for (const [index, { referenceNumber: of, code, createdAt }] of inTime.entries()) {
    const before = inTime[index - 1]
    if (before !== undefined && createdAt < before.codeReusableAt)
      yield { of, says: `was given the code ${code} of ${before.referenceNumber}, which was in use then` }
  }
}

/** It rests from the end of PENDING on, or from its own end where that is earlier; its key is its own, and there as long as it rests. */
function* rest(round: Round, intent: IntentDocument): Generator<Broken> {
  const { referenceNumber: of, status, payment, updatedAt, codeExpiresAt, codeReusableAt, codeKey } = intent
  const endedAt = status === 'PENDING' ? codeExpiresAt : (payment?.paidAt ?? updatedAt)
  const due = Math.min(codeExpiresAt, endedAt) + restMs
  const skewMs = Math.max(
    ...[endedAt, updatedAt].map((at) => round.times.skewAround(round.times.machineTime(at))),
  )
  if (Math.abs(codeReusableAt - due) > togetherMs + skewMs)
    yield { of, says: `its code may be given away ${codeReusableAt - due} ms after it should` }
  if (codeKey === undefined && round.endShown < codeReusableAt)
    yield { of, says: 'its code was freed before its time' }
  if (codeKey !== undefined && codeKey !== scopeOf(intent))
    yield { of, says: `its code ${intent.code} is kept as ${codeKey}` }
}

/** A code is shown as long as it answers. */
function* shown({ calls, times, intentOf }: Round): Generator<Broken> {
  for (const call of calls) {
    if (isReplay(call)) continue
    const began =
      call.began + times.aheadAt(call.began).from - times.skewAround({ from: call.began, to: call.ended })
    for (const { referenceNumber: of, status, code } of intentsIn(call)) {
      const stored = intentOf.get(of)
      if (code === null || stored === undefined) continue
      if (code !== stored.code)
        yield { of, says: `call ${call.call} shows the code ${code}, and its own is ${stored.code}` }
      if (status !== 'PENDING' || began > stored.codeExpiresAt)
        yield {
          of,
          says: `call ${call.call} shows the code of an intent that is ${status}, ${began - stored.codeExpiresAt} ms past its end`,
        }
    }
  }
}

/** A code that somebody typed leads to the payment whose code it is, while it answers. */
function* typed({ calls, times, intentAt }: Round): Generator<Broken> {
  for (const call of calls) {
    const found = intentAt(shortCodeIn(pageOf(call)?.location ?? ''))
    if (call.what !== 'pay.code' || found === undefined) continue
    const { code } = (call.body ?? {}) as { code?: string }
    const began =
      call.began + times.aheadAt(call.began).from - times.skewAround({ from: call.began, to: call.ended })
    if (code !== undefined && code.replaceAll(/\D/g, '') !== found.code)
      yield { of: found.referenceNumber, says: `the code ${code} led to it, and its own is ${found.code}` }
    if (began > found.codeExpiresAt)
      yield {
        of: found.referenceNumber,
        says: `its code answered ${began - found.codeExpiresAt} ms past its end`,
      }
  }
}
