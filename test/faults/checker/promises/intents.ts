import type { IntentDocument } from '../../../invariants/documents.ts'
import { groupsOf } from '../../../invariants/groups.ts'
import { having } from '../../evidence/evidence.ts'
import * as seen from '../responses.ts'
import type { Check, Findings, Round } from '../round.ts'
import { lateMs, settles } from '../times.ts'

const clocksMs = 1000

const createExists: Check = function* (round) {
  const audits = round.calls.filter(({ actor, what }) => actor === 'auditor' && what === 'read')
  const read = new Set(audits.flatMap(seen.intentsIn).map(({ referenceNumber }) => referenceNumber))
  for (const { request, data, ended } of round.done<seen.ShownIntent>('create')) {
    const { referenceNumber, shortCode, code, amount } = data
    const stored = round.intentOf(referenceNumber)
    const { from, to } = round.times.shownOf({ began: request.began, ended })
    const createdAt = Date.parse(data.createdAt)
    if (!request.isAcrossDays && (createdAt < from - clocksMs || createdAt > to + clocksMs))
      yield [referenceNumber, `was created at ${data.createdAt}, not while it was requested`]
    if (stored === undefined) {
      if (!round.mayBeCleaned({ ...data, createdAt }))
        yield [referenceNumber, 'the create got 201, but MongoDB does not have it']
      continue
    }
    if (stored.businessId !== request.businessId || stored.sandbox !== request.sandbox)
      yield [referenceNumber, 'belongs to another business or environment than its key']
    const kept = stored.amountType === 'OPEN' ? null : stored.amount
    if (stored.shortCode !== shortCode || stored.code !== code || kept !== amount)
      yield [referenceNumber, `was returned as ${shortCode} ${code} ${amount}, and is stored otherwise`]
    if (read.size > 0 && !read.has(referenceNumber)) yield [referenceNumber, 'the auditor could not read it']
  }
}

const transitionLegal: Check = function* (round) {
  yield* round.broken('intent status', 'events once')
  for (const call of round.calls) {
    const isSkewed = round.times.isSkewed(call)
    for (const shown of seen.intentsIn(call)) {
      const intent = round.intentOf(shown.referenceNumber)
      if (intent === undefined) {
        if (!round.mayBeCleaned({ sandbox: shown.sandbox, createdAt: Date.parse(shown.createdAt) }))
          yield [shown.referenceNumber, `was in the response to call ${call.call}, and is not stored`]
        continue
      }
      // While clocks jump, one process may show an intent as expired that another still lets a customer pay.
      if (isSkewed && shown.cancellationReason === 'expired') continue
      for (const message of undone(shown, intent))
        yield [shown.referenceNumber, `call ${call.call} (${call.what}) showed ${message}`]
    }
  }
}

function* undone(shown: seen.ShownIntent, intent: IntentDocument): Generator<string> {
  const { status, cancellationReason = null, payment, refund, refunds = [] } = shown
  if (!seen.mayBecome(status, intent.status)) yield `${status}, and it is ${intent.status}`
  if (cancellationReason !== null && cancellationReason !== intent.cancellationReason)
    yield `${cancellationReason}, and it is ${intent.cancellationReason}`
  const [paid, paidAt] = [intent.payment, Date.parse(payment?.paidAt ?? '')]
  const isSame = payment?.amountPaid === paid?.amountPaid && paidAt === paid?.paidAt
  if (payment && !isSame) yield `a payment of ${payment.amountPaid} that is not there`
  for (const each of [...refunds, ...(refund ? [refund] : [])]) {
    const stored = intent.refunds.find(({ id }) => id === each.id)
    if (each.status === 'SUCCEEDED' && (stored?.status !== 'SUCCEEDED' || stored.amount !== each.amount))
      yield `refund ${each.id} of ${each.amount}, and it is ${stored?.status ?? 'gone'}`
  }
}

type Sight = { call: Round['calls'][number]; shown: seen.ShownIntent; refunded: number }

/** Later responses never show an earlier state, not even after MongoDB elects a new primary. */
const readForward: Check = function* ({ calls, times }) {
  const sights = calls.flatMap((call) =>
    seen.intentsIn(call).map((shown): Sight => ({ call, shown, refunded: shown.totalAmountRefunded ?? 0 })),
  )
  for (const [subject, some] of groupsOf(sights, ({ shown }) => shown.referenceNumber)) {
    const ended = some.toSorted((one, other) => one.call.ended - other.call.ended)
    // Repeated responses and responses to creates show an earlier state.
    const later = some.filter(({ call }) => !seen.isReplay(call) && call.what !== 'create')
    let latest: Sight | null = null
    let next = 0
    for (const sight of later.toSorted((one, other) => one.call.began - other.call.began)) {
      for (let before = ended[next]; before && before.call.ended < sight.call.began; before = ended[++next])
        if (latest === null || !isBefore(before, latest)) latest = before
      if (latest === null || latest === sight) continue
      if (seen.mayBecome(latest.shown.status, sight.shown.status) && latest.refunded <= sight.refunded)
        continue
      const isSkewed = times.isSkewed(latest.call) || times.isSkewed(sight.call)
      if (isSkewed && latest.shown.cancellationReason === 'expired') continue
      yield [subject, `call ${sight.call.call} showed ${words(sight)} after ${words(latest)}`]
    }
  }
}

const words = ({ shown, refunded }: Sight): string => `${shown.status}, ${refunded} refunded`
const isBefore = (one: Sight, other: Sight): boolean =>
  one.shown.status === other.shown.status
    ? one.refunded < other.refunded
    : seen.mayBecome(one.shown.status, other.shown.status)

const codeUnique: Check = function* ({ dump, calls, times, intentAt }) {
  const scopeOf = (intent: IntentDocument) => `${intent.sandbox ? intent.businessId : 'live'} ${intent.code}`
  for (const some of groupsOf(dump.intents, scopeOf).values()) {
    const ordered = some.toSorted((one, other) => one.createdAt - other.createdAt)
    for (const [index, { referenceNumber, code, createdAt }] of ordered.entries()) {
      const before = ordered[index - 1]
      if (before !== undefined && createdAt < before.codeReusableAt)
        yield [referenceNumber, `got the code ${code} while ${before.referenceNumber} was using it`]
    }
  }
  for (const call of having(calls, 'pay.code')) {
    const found = intentAt(seen.shortCodeIn(seen.pageOf(call)?.location ?? ''))
    if (found === undefined) continue
    const { code = '' } = (call.body ?? {}) as { code?: string }
    if (code.replaceAll(/\D/g, '') !== found.code)
      yield [found.referenceNumber, `was found by the code ${code}, and has ${found.code}`]
    if (times.shownOf(call).from > found.codeExpiresAt)
      yield [found.referenceNumber, 'was found by a code that had expired']
  }
}

const referenceUnique: Check = function* ({ dump, calls, times, mayBeCleaned, setting, done }) {
  const scopeOf = (business: string | null, sandbox: boolean | null, reference: string | null): string =>
    `${business} ${sandbox ? 'test' : 'live'} ${reference}`
  const byReference = groupsOf(
    dump.intents.filter(({ merchantReference }) => merchantReference !== null),
    ({ businessId, sandbox, merchantReference }) => scopeOf(businessId, sandbox, merchantReference),
  )
  const created = new Map(
    done<seen.ShownIntent>('create').map(({ request: { settled }, data }) => [
      data.referenceNumber,
      { at: Date.parse(data.createdAt), by: settled === null ? Infinity : times.shownOf(settled).to },
    ]),
  )
  const isStored = ({ referenceNumber }: IntentDocument, at: number): boolean =>
    (created.get(referenceNumber)?.by ?? Infinity) < at
  for (const [reference, some] of byReference)
    for (const [index, one] of some.entries())
      for (const other of some.slice(index + 1))
        if (isStored(one, freedAt(other)) && isStored(other, freedAt(one)))
          yield [reference, `belongs to ${one.referenceNumber} and ${other.referenceNumber} at the same time`]
  for (const call of having(calls, 'create')) {
    const error = seen.errorOf(call)
    if (error?.code !== 'MERCHANT_REFERENCE_TAKEN' || seen.isReplay(call)) continue
    const reference = scopeOf(call.business, call.sandbox, (call.body as IntentDocument).merchantReference)
    const { from, to } = times.shownOf(call)
    const isHeld = byReference
      .get(reference)
      ?.some((intent) => intent.createdAt <= to && freedAt(intent) + lateBy(intent) >= from)
    const createdAt = created.get(error.details?.referenceNumber ?? '')?.at ?? setting.beganAt
    if (!isHeld && !mayBeCleaned({ sandbox: call.sandbox === true, createdAt }))
      yield [reference, `was refused in call ${call.call}, and no intent had it`]
  }
}

const freedAt = ({ status, updatedAt }: IntentDocument): number =>
  status === 'CANCELLED' || status === 'FAILED' ? updatedAt : Infinity

const lateBy = ({ updatedAt, expiresAt }: IntentDocument): number => (updatedAt === expiresAt ? 0 : lateMs)
const sentMs = 50
const eventMs = 10_000

const expiryPrompt: Check = function* (round) {
  const payments = groupsOf(
    having(round.calls, 'simulate', 'pay.confirm'),
    (call) => seen.referenceIn(call) ?? round.intentAt(seen.shortCodeIn(call.path))?.referenceNumber,
  )
  for (const intent of round.dump.intents) {
    yield* expired(round, intent)
    const begun = (payments.get(intent.referenceNumber) ?? []).map((call) => round.times.shownOf(call).from)
    yield* inTime(intent, begun)
  }
  yield* readInTime(round)
}

function* expired(round: Round, intent: IntentDocument): Findings {
  const { referenceNumber, status, hold, cancellationReason, expiresAt, updatedAt } = intent
  const isOver = round.setting.quietAt !== null && expiresAt + eventMs < round.endShown
  if (status === 'PENDING' && hold === null && isOver)
    yield [referenceNumber, `is PENDING ${round.endShown - expiresAt} ms after it expired`]
  if (cancellationReason !== 'expired') return
  if (updatedAt < expiresAt) yield [referenceNumber, `expired ${expiresAt - updatedAt} ms too early`]
  const due = round.times.machineTime(updatedAt)
  for (const { event, createdAt, insertedBy } of round.deliveriesOf.get(referenceNumber) ?? []) {
    if (event !== 'payment.expired' || insertedBy !== undefined) continue
    const isDue = round.isDue('expiry.prompt', { from: due.from, to: due.to + eventMs }, settles.jobs)
    if (isDue && createdAt - updatedAt > eventMs)
      yield [referenceNumber, `payment.expired came ${createdAt - updatedAt} ms later, without a fault`]
  }
}

function* inTime(intent: IntentDocument, begun: number[]): Findings {
  const { referenceNumber, expiresAt, payment, cancellationReason, updatedAt } = intent
  if (payment !== null && begun.length > 0 && Math.min(...begun) > expiresAt + sentMs)
    yield [referenceNumber, `was paid ${Math.min(...begun) - expiresAt} ms after it expired`]
  if (payment?.wallet === 'simulation' && payment.paidAt >= expiresAt)
    yield [referenceNumber, 'was paid by a simulation after it expired']
  if (cancellationReason === 'requested_by_merchant' && updatedAt >= expiresAt)
    yield [referenceNumber, 'was cancelled by its merchant after it expired']
}

function* readInTime({ calls, times, intentOf, intentAt }: Round): Findings {
  const paying = new Set(seen.formsIn(calls).map(({ path }) => seen.shortCodeIn(path)))
  for (const call of calls) {
    if (seen.isReplay(call) || call.what === 'create') continue
    const shownAt = times.shownOf(call)
    for (const { referenceNumber, status, cancellationReason, shortCode } of seen.intentsIn(call)) {
      const end = intentOf(referenceNumber)?.expiresAt
      if (end === undefined) continue
      if (status === 'PENDING' && shownAt.from > end + sentMs && !paying.has(shortCode))
        yield [referenceNumber, `call ${call.call} read PENDING ${shownAt.from - end} ms after it expired`]
      if (cancellationReason === 'expired' && shownAt.to < end - sentMs)
        yield [referenceNumber, `call ${call.call} read it as expired ${end - shownAt.to} ms too early`]
    }
    const offered = seen.pageOf(call)?.state === 'pending' ? intentAt(seen.shortCodeIn(call.path)) : undefined
    if (offered !== undefined && shownAt.from > offered.expiresAt + sentMs)
      yield [offered.referenceNumber, `the page of call ${call.call} offered it after it expired`]
  }
}

export const ofIntents = {
  'create.exists': createExists,
  'transition.legal': transitionLegal,
  'read.forward': readForward,
  'code.unique': codeUnique,
  'reference.unique': referenceUnique,
  'expiry.prompt': expiryPrompt,
}
