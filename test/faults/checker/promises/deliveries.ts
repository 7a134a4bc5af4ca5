import { createHmac } from 'node:crypto'
import type { DeliveryDocument } from '../../../invariants/documents.ts'
import { groupsOf } from '../../../invariants/groups.ts'
import { type Arrival, type Call, deliveryIn, having } from '../../evidence/evidence.ts'
import { dataOf, endpointIn } from '../responses.ts'
import { type Check, endpointOfDelivery, type Findings, type Round } from '../round.ts'
import { lateMs, type Span, settles } from '../times.ts'

type Attempt = { at: number; durationMs: number; status: number | null; arrival: Arrival | null }
/** A delivery with its attempts. `unrecorded`: arrivals without a recorded attempt. */
type Trail = { delivery: DeliveryDocument; attempts: Attempt[]; unrecorded: Arrival[]; arrivals: Arrival[] }
export const isAccepted = (status: number | null): boolean => status !== null && status >= 200 && status < 300
const signedAt = ({ headers }: Arrival): number => Number(headers['x-service-timestamp'])
const isoOf = (at: number): string => new Date(at).toISOString()

function trailsOf(round: Round): Trail[] {
  const byId = groupsOf(round.arrivals, ({ body }) => deliveryIn(body))
  return round.dump.deliveries.map((delivery) => trailOf(round, delivery, byId.get(delivery._id) ?? []))
}

const clocksMs = 1000

/** An arrival belongs to the nearest attempt that was signed in the same second and ended after it. */
function trailOf({ times }: Round, delivery: DeliveryDocument, arrivals: Arrival[]): Trail {
  const unrecorded = [...arrivals]
  const match = ({ at, durationMs, status }: DeliveryDocument['attemptLog'][number]): Attempt => {
    const end = times.machineTime(at + durationMs).to + clocksMs
    const begin = times.machineTime(at).from
    const distance = (each: Arrival): number => Math.abs(each.at - begin) + (each.did === status ? 0 : 60_000)
    const candidates = unrecorded.filter(
      (arrival) =>
        signedAt(arrival) === Math.floor(at / 1000) &&
        (arrival.at <= end + times.skewAround({ from: arrival.at, to: arrival.done }) ||
          !times.isCalm({ from: end, to: arrival.at }, clocksMs)),
    )
    const [arrival = null] = candidates.toSorted((one, other) => distance(one) - distance(other))
    if (arrival !== null) unrecorded.splice(unrecorded.indexOf(arrival), 1)
    return { at, durationMs, status, arrival }
  }
  // An attempt without a response may never have arrived, so attempts with one choose first.
  const isOpen = ({ status }: { status: number | null }): number => Number(status === null)
  const ordered = delivery.attemptLog.toSorted((one, other) => isOpen(one) - isOpen(other))
  const matched = new Map(ordered.map((logged) => [logged, match(logged)]))
  const attempts = delivery.attemptLog.flatMap((logged) => matched.get(logged) ?? [])
  return { delivery, attempts, unrecorded, arrivals }
}

const recordMs = 3000
const maxLogLength = 50

const deliveryCounted: Check = function* (round) {
  yield* round.broken('delivery state')
  for (const trail of trailsOf(round)) {
    const { _id, status, attempts, endpointId } = trail.delivery
    yield* endOf(trail, round.replaysOf(trail.delivery).length)
    if (status === 'CANCELLED' && round.steady.has(endpointId))
      yield [_id, 'is CANCELLED, but its endpoint was never deleted or disabled']
    if (attempts > maxLogLength || status === 'CANCELLED') continue
    for (const arrival of trail.arrivals) {
      const span = { from: arrival.at, to: arrival.done + recordMs }
      const isDue = round.isDueOfWrites('delivery.counted', span, settles.requests)
      if (isDue && trail.unrecorded.includes(arrival))
        yield [_id, `has no record of its arrival at ${isoOf(arrival.at)}, without a fault`]
    }
  }
}

function* endOf({ delivery: { _id, status }, attempts }: Trail, replays: number): Findings {
  if (status === 'PENDING' || status === 'RETRYING') yield [_id, `is ${status} at the end`]
  const accepted = attempts.filter((attempt) => isAccepted(attempt.status)).length
  const isLast = isAccepted(attempts.at(-1)?.status ?? null)
  if (accepted - Number(isLast) > replays) yield [_id, 'was attempted again after it was accepted']
  if (isLast !== (status === 'DELIVERED') && (replays === 0 || status !== 'CANCELLED'))
    yield [_id, `is ${status}, and its last attempt was ${isLast ? '' : 'not '}accepted`]
}

const deliveryDelivered: Check = function* (round) {
  for (const { delivery, attempts, arrivals } of trailsOf(round)) {
    const { _id, status } = delivery
    for (const attempt of attempts) yield* agreed(round, _id, attempt)
    if (new Set(arrivals.map(({ body }) => body)).size > 1) yield [_id, 'arrived with different bytes']
    if (status === 'DELIVERED' && !arrivals.some((arrival) => isAccepted(statusOf(round, arrival))))
      yield [_id, 'is DELIVERED, and no arrival was accepted']
  }
}

/** A late response counts only if the process may have been frozen after reading it in time. */
function statusOf({ times }: Round, { did, begun, at, done }: Arrival): number | null {
  if (did === 'unread') return begun
  if (did === 'slow') return times.isCalm({ from: at, to: done }, settles.requests) ? null : 200
  return typeof did === 'number' ? did : null
}

function* agreed(round: Round, subject: string, attempt: Attempt): Findings {
  const { status, arrival, at } = attempt
  const which = `its attempt at ${isoOf(at)}`
  if (status === null) {
    if (wasReceived(round, attempt)) yield [subject, `${which} has no response, but got ${arrival?.did}`]
  } else if (arrival === null) yield [subject, `${which} has the response ${status}, and nothing arrived`]
  else if (statusOf(round, arrival) !== status)
    yield [subject, `${which} has the response ${status}, and the endpoint gave ${arrival.did}`]
}

function wasReceived({ times, setting }: Round, { durationMs, arrival }: Attempt): boolean {
  const isInTime = durationMs < setting.settings.webhookTimeoutSeconds * 1000
  if (typeof arrival?.did !== 'number' || !isInTime) return false
  return times.isCalmForWrites({ from: arrival.at, to: arrival.done + recordMs }, settles.requests)
}

/** Records are rounded to the millisecond, and the times come from two clocks. */
const earlyMs = 5
/** How far off a process's idea of MongoDB's time may be after a MongoDB fault (src/mongo/database-time.ts). */
const unsureMs = 500
const maxLateMs = 15_000

const deliveryPaced: Check = function* (round) {
  const lines = round.dump.auditevents.filter(({ act }) => act === 'delivery.requeued')
  const requeues = groupsOf(lines, ({ subject }) => subject)
  const isThrottled = throttledIn(round)
  for (const delivery of round.dump.deliveries) {
    const byHand = (requeues.get(delivery._id) ?? []).map(({ at }) => ({ from: at, to: at }))
    const byReplays = round.replaysOf(delivery).map(({ createdAt, finishedAt }) => {
      return { from: createdAt, to: (finishedAt ?? round.endShown) + lateMs }
    })
    yield* paced(round, delivery, [...byHand, ...byReplays], isThrottled)
  }
}

function* paced(
  round: Round,
  { _id, attemptLog, createdAt, attempts, endpointId }: DeliveryDocument,
  requeued: Span[],
  isThrottled: ReturnType<typeof throttledIn>,
): Findings {
  const { times, setting } = round
  const waits = setting.settings.retrySeconds.map((seconds) => seconds * 1000)
  const isByTable = requeued.length === 0 && attemptLog.length === attempts
  for (const [index, { at }] of attemptLog.entries()) {
    const before = attemptLog[index - 1]
    const endedAt = before === undefined ? createdAt : before.at + before.durationMs
    const tableMs = before === undefined ? 0 : ((isByTable ? waits[index - 1] : Math.min(...waits)) ?? 0)
    const isRequeued = requeued.some(({ from, to }) => to >= endedAt - earlyMs && from <= at + earlyMs)
    const [first, last] = [times.machineTime(before?.at ?? createdAt), times.machineTime(at)]
    const span = { from: Math.min(first.from, last.from), to: Math.max(first.to, last.to) }
    const skewMs = times.skewAround(span) + (times.isCalmForWrites(span, settles.jobs) ? 0 : unsureMs)
    const waitedMs = at - endedAt
    const words = `attempt ${index + 1} came ${waitedMs} ms after the previous one or the event`
    const leastMs = isRequeued ? 0 : tableMs
    if (waitedMs < leastMs - earlyMs - skewMs) yield [_id, `${words}, not after ${tableMs} ms`]
    const maxMs = 2 * tableMs + maxLateMs
    if (!isByTable || isThrottled(endpointId, endedAt, endedAt + maxMs)) continue
    const ended = times.machineTime(endedAt)
    const isDue = round.isDue('delivery.paced', { from: ended.from, to: ended.to + maxMs }, settles.jobs)
    if (isDue && waitedMs > maxMs) yield [_id, `${words}, without a fault`]
  }
}

/** An endpoint that takes longer or never accepts is throttled. Its queued deliveries follow within half a minute. */
const slowMs = 1000
const queueMs = 30_000

function throttledIn({ dump }: Round): (endpointId: string, from: number, to: number) => boolean {
  const byEndpoint = groupsOf(dump.deliveries, ({ endpointId }) => endpointId)
  const logs = new Map([...byEndpoint].map(([id, own]) => [id, own.flatMap(({ attemptLog }) => attemptLog)]))
  return (endpointId, from, to) => {
    const near = (logs.get(endpointId) ?? []).filter(({ at }) => at >= from - queueMs && at <= to)
    const isSlow = near.some(({ durationMs }) => durationMs > slowMs)
    return isSlow || !near.some(({ status }) => isAccepted(status))
  }
}

/** An endpoint's signing secrets, from responses. `isWhole`: no rotation has an unknown outcome. */
type Secrets = { secrets: string[]; isWhole: boolean }

export function signingSecrets({ requests }: Pick<Round, 'requests'>): Map<string, Secrets> {
  const making = having(requests, 'endpoint.create', 'endpoint.rotate').map((request) => {
    const shown = request.calls.flatMap((call) => dataOf<{ id: string; secret?: string }>(call) ?? [])
    return { request, shown, id: shown[0]?.id ?? endpointIn(request) }
  })
  return new Map(
    [...groupsOf(making, ({ id }) => id)].map(([id, some]) => {
      const secrets = some.flatMap(({ shown }) => shown.flatMap(({ secret }) => secret ?? []))
      const isWhole = some.every(({ request, shown }) => !request.isAcrossDays && shown.length > 0)
      return [id, { secrets, isWhole }]
    }),
  )
}

const freshMs = 300_000
const overlapMs = 24 * 3_600_000

const deliverySigned: Check = function* (round) {
  const secrets = signingSecrets(round)
  const requested = having(round.calls, 'endpoint.test').filter(({ actor }) => actor === 'merchant')
  const tests = groupsOf(requested, endpointIn)
  for (const arrival of round.arrivals) {
    const { headers, path } = arrival
    const id = deliveryIn(arrival.body)
    const endpointId = endpointOfDelivery(id)
    const delivery = round.deliveryOf.get(id)
    if (delivery === undefined && !mayBeUnstored(round, tests.get(endpointId) ?? [], id, arrival))
      yield [id, `came to ${path}, is no delivery, and no test was requested`]
    const known = secrets.get(endpointId)
    if (known !== undefined) yield* signed(round, id, arrival, known)
    const url = round.steady.get(endpointId)?.url
    if (url !== undefined && new URL(url).pathname !== path)
      yield [id, `arrived at ${path}, and its endpoint is ${url}`]
    if (delivery === undefined) continue
    if (headers['x-service-event'] !== delivery.event) yield [id, `arrived as ${headers['x-service-event']}`]
    if (headers['x-service-event-id'] !== delivery.eventId)
      yield [id, `arrived as event ${headers['x-service-event-id']}`]
    const deletedAt = round.endpointOf.get(endpointId)?.deletedAt ?? Infinity
    const skewMs = round.times.skewAround({ from: arrival.at - lateMs, to: arrival.at })
    if (signedAt(arrival) * 1000 > deletedAt + lateMs + skewMs)
      yield [id, 'came after its endpoint was deleted']
  }
}

function* signed({ times, oldest }: Round, id: string, arrival: Arrival, known: Secrets): Findings {
  const { headers, body, at } = arrival
  const timestamp = headers['x-service-timestamp'] ?? ''
  const signatures = known.secrets.map(
    (secret) => `sha256=${createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex')}`,
  )
  const previous = (headers['x-service-signature-previous'] ?? '').split(',')
  // After a rotation with an unknown outcome, only a previous secret is known.
  const given = [headers['x-service-signature'] ?? '', ...(known.isWhole ? [] : previous)]
  const { from, to } = times.aheadAt(at)
  // After another jump in time, not even the previous secret is in use.
  const isUnknown = !known.isWhole && at + to - oldest >= overlapMs
  if (!isUnknown && !given.some((each) => signatures.includes(each))) yield [id, 'has no valid signature']
  const skewMs = freshMs + times.skewAround({ from: at - freshMs, to: at })
  const shown = signedAt(arrival) * 1000
  if (shown < at + from - skewMs || shown > at + to + skewMs)
    yield [id, `was signed at ${timestamp}, and arrived at ${isoOf(at)}`]
}

function mayBeUnstored(round: Round, tests: Call[], id: string, { at, body }: Arrival): boolean {
  if (id === '') return false
  const { event, sandbox, data } = JSON.parse(body)
  const createdAt = round.createdAtOf.get(data.reference_number) ?? round.oldest
  if (!/^(?:PI|OR)-TEST0+$/.test(data.reference_number)) return round.mayBeCleaned({ sandbox, createdAt })
  return tests.some((call) => {
    const isKnown = (call.status ?? 500) < 500
    const isAbout = call.began <= at && (call.body as { event?: string }).event === event
    return isAbout && (!isKnown || dataOf<{ deliveryId: string }>(call)?.deliveryId === id)
  })
}

export const ofDeliveries = {
  'delivery.delivered': deliveryDelivered,
  'delivery.counted': deliveryCounted,
  'delivery.paced': deliveryPaced,
  'delivery.signed': deliverySigned,
}
