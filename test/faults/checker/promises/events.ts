import type { DeliveryDocument, EventDocument, ReplayDocument } from '../../../invariants/documents.ts'
import { groupsOf, repeatedOf } from '../../../invariants/groups.ts'
import { deliveryIn, having, type What } from '../../evidence/evidence.ts'
import type { Request } from '../requests.ts'
import { dataOf, errorOf, queryOf, referenceIn, type ShownIntent } from '../responses.ts'
import { type Check, dayMs, endpointOfDelivery, type Findings, type Round } from '../round.ts'
import { lateMs, settles } from '../times.ts'
import { isAccepted } from './deliveries.ts'

const eventExact: Check = ({ broken }) => broken('events once', 'delivery of event', 'deliveries complete')

const events: Partial<Record<What, string>> = {
  create: 'payment.created',
  cancel: 'payment.cancelled',
  simulate: 'payment.confirmed',
  refund: 'payment.refunded',
}

function eventOf({ what, settled }: Request): string | null {
  if (settled === null) return null
  if (what === 'simulate' && errorOf(settled)?.code === 'PAYMENT_FAILED') return 'payment.failed'
  return (settled.status ?? 500) < 300 ? (events[what] ?? null) : null
}

const eventReported: Check = function* (round) {
  for (const request of round.requests) {
    const shown = dataOf<ShownIntent>(request.settled)
    const intent = round.intentOf(referenceIn(request) ?? shown?.referenceNumber)
    const event = eventOf(request)
    if (intent === undefined || event === null || round.mayBeCleaned(intent)) continue
    const isSubscribed = [...round.steady.values()].some(
      (endpoint) =>
        endpoint.businessId === intent.businessId &&
        (intent.sandbox || !endpoint.sandbox) &&
        endpoint.events.includes(event) &&
        endpoint.createdAt + lateMs < intent.createdAt,
    )
    const deliveries = round.deliveriesOf.get(intent.referenceNumber) ?? []
    const reports = ({ event: its, facts }: DeliveryDocument) =>
      its === event && facts.refund?.id === shown?.refund?.id
    if (isSubscribed && !deliveries.some(reports))
      yield [intent.referenceNumber, `call ${request.settled?.call} succeeded, and there is no ${event}`]
  }
  for (const { body } of round.arrivals) {
    const delivery = round.deliveryOf.get(deliveryIn(body))
    if (delivery === undefined) continue
    const { event, sandbox, data } = JSON.parse(body)
    const { facts, referenceNumber } = delivery
    const isSame =
      event === delivery.event &&
      sandbox === delivery.sandbox &&
      data.reference_number === referenceNumber &&
      data.status === facts.status &&
      (delivery.event === 'order.new' || data.amount === (facts.amount ?? null)) &&
      data.commission?.provider_ttc === (facts.commission?.providerTtc ?? (data.commission && 0)) &&
      data.refund?.amount === facts.refund?.amount &&
      data.refund?.returned_fees.provider_ttc === facts.refund?.returnedFees.providerTtc
    if (!isSame) yield [referenceNumber, `delivery ${delivery._id} reports otherwise: ${body.slice(0, 300)}`]
  }
}

const maxLateMs = 5000

const eventsComplete: Check = function* (round) {
  const logged = round.dump.events.filter(({ event }) => event !== 'cleaned')
  yield* round.broken('events once', 'event log')
  for (const { _id, event, createdAt, loggedAt } of logged) {
    const { from, to } = round.times.machineTime(createdAt)
    const isDue = round.isDue('events.complete', { from, to: to + maxLateMs }, settles.jobs)
    if (isDue && loggedAt - createdAt > maxLateMs)
      yield [_id, `${event} was in the log after ${loggedAt - createdAt} ms, without a fault`]
  }
  const logs = groupsOf(logged, ({ businessId, sandbox }) => `${businessId} ${sandbox}`)
  for (const [reader, calls] of groupsOf(having(round.calls, 'event.feed'), ({ operation }) => operation)) {
    const { business, sandbox } = calls[0] as Round['calls'][number]
    yield* read(round, `reader ${reader} of ${business}`, calls, logs.get(`${business} ${sandbox}`) ?? [])
  }
}

type Item = { id: string; type: string; createdAt: string; body: { id: string; event: string } }

function* read(round: Round, reader: string, calls: Round['calls'], log: EventDocument[]): Findings {
  const query = queryOf(calls[0]?.path ?? '')
  const items = calls.flatMap((call) => dataOf<{ items: Item[] }>(call)?.items ?? [])
  for (const { id } of repeatedOf(items, (item) => item.id)) yield [id, `${reader} saw it twice`]
  for (const { id, type, body } of items)
    if (body.id !== id || body.event !== type) yield [id, `${reader} saw it with the body of ${body.id}`]
  const position = new Map(items.map(({ id }, index) => [id, index]))
  const inOrder = log.toSorted((one, other) => one.number - other.number)
  const wanted = inOrder.filter(({ event }) => [null, event].includes(query.get('type')))
  const first = query.has('after') ? wanted.findIndex(({ _id }) => _id === items[0]?.id) : 0
  let last = -1
  for (const { _id, number } of first < 0 ? [] : wanted.slice(first)) {
    const at = position.get(_id)
    if (at === undefined) yield [_id, `${reader} did not see event ${number}`]
    else if (at < last) yield [_id, `${reader} saw event ${number} after a later one`]
    last = Math.max(last, at ?? -1)
  }
  if (round.mayBeCleaned({ sandbox: log[0]?.sandbox !== false, createdAt: round.setting.beganAt })) return
  const there = new Set(wanted.map(({ _id }) => _id))
  for (const { id } of items) if (!there.has(id)) yield [id, `${reader} saw it, and the log does not have it`]
}

const replayExact: Check = function* (round) {
  const { deliveries, webhookreplays } = round.dump
  for (const replay of webhookreplays) {
    const own = deliveries.filter((each) => [each.requeuedBy, each.insertedBy].flat().includes(replay._id))
    // Old events and deliveries may have been removed.
    const isCut = round.mayBeCleaned({ sandbox: replay.sandbox, createdAt: round.setting.beganAt })
    const selected = round.dump.events.filter((event) => isChosen(event, replay))
    yield* only(replay, own, isCut ? null : selected)
    yield* counted(round, replay, own, isCut)
    const isWhole = !isCut && replay.status === 'DONE' && round.steady.has(replay.endpointId)
    if (isWhole) yield* all(round, replay, selected)
  }
  yield* acknowledged(round)
}

const isChosen = ({ businessId, sandbox, createdAt, event, number }: EventDocument, replay: ReplayDocument) =>
  businessId === replay.businessId &&
  sandbox === replay.sandbox &&
  createdAt >= replay.from &&
  createdAt <= replay.to &&
  replay.events.includes(event) &&
  number <= replay.through

function* only(replay: ReplayDocument, own: DeliveryDocument[], selected: EventDocument[] | null): Findings {
  const { _id, endpointId, cancellationReason, finishedAt } = replay
  for (const delivery of own) {
    const isWanted = selected?.some((event) => event._id === delivery.eventId) ?? true
    if (endpointOfDelivery(delivery._id) !== endpointId || !isWanted)
      yield [_id, `re-queued delivery ${delivery._id}, which is not of its endpoint, period and types`]
    const isLate = delivery.insertedBy === _id && delivery.createdAt > (finishedAt ?? 0) + lateMs
    if (cancellationReason !== null && isLate) yield [_id, `inserted ${delivery._id} after it was cancelled`]
  }
}

/** After a fault, a re-queued delivery may count as skipped. Later replays and the clean-up remove its mark. */
function* counted({ times, dump }: Round, replay: ReplayDocument, own: unknown[], isCut: boolean): Findings {
  const { _id, endpointId, status, total, requeued, created, skipped, createdAt, finishedAt } = replay
  if (finishedAt === null) return
  const counts = requeued + created + skipped
  const isCutShort = isCut && finishedAt - createdAt > dayMs
  if (status === 'DONE' && (isCutShort ? counts > total : counts !== total))
    yield [_id, `counts ${requeued} + ${created} + ${skipped} of ${total} events`]
  const span = { from: times.machineTime(createdAt).from, to: times.machineTime(finishedAt).to }
  const others = dump.webhookreplays.filter((other) => other.endpointId === endpointId)
  const later = others.filter((other) => other.createdAt > createdAt).map((other) => other._id)
  const replaced = dump.deliveries.filter(({ requeuedBy = '' }) => later.includes(requeuedBy)).length
  const fewest = isCut ? 0 : requeued + created - replaced
  const most = times.isCalmForWrites(span, settles.jobs) ? requeued + created : total
  if (own.length < fewest || own.length > most)
    yield [_id, `counts ${requeued} + ${created} deliveries, and ${own.length} have its mark`]
}

function* all(round: Round, replay: ReplayDocument, selected: EventDocument[]): Findings {
  const { _id, endpointId, onlyUndelivered, createdAt, total } = replay
  const since = createdAt - round.times.skewAround(round.times.machineTime(createdAt))
  if (selected.length !== total) yield [_id, `is of ${total} events, and the log has ${selected.length}`]
  for (const { _id: eventId, referenceNumber } of selected) {
    const deliveries = round.deliveriesOf.get(referenceNumber) ?? []
    const delivery = deliveries.find((each) => each.eventId === eventId && each.endpointId === endpointId)
    const isSent = delivery?.attemptLog.some(
      ({ at, durationMs, status }) => at + durationMs >= since || (onlyUndelivered && isAccepted(status)),
    )
    if (!isSent && delivery?.status !== 'CANCELLED') yield [_id, `did not send event ${eventId}`]
  }
}

function* acknowledged({ dump, done }: Round): Findings {
  const statuses = new Map(dump.webhookreplays.map(({ _id, status }) => [_id, status]))
  for (const { request, data, call } of done<{ id: string }>('replay', 'replay.cancel')) {
    const status = statuses.get(data.id)
    if (status === undefined || (request.what === 'replay.cancel' && status === 'RUNNING'))
      yield [data.id, `is ${status ?? 'not stored'}, and call ${call} succeeded`]
  }
  const lines = groupsOf(dump.auditevents, ({ act, after }) => `${act} ${after?.replayId}`)
  for (const { _id, cancellationReason } of dump.webhookreplays) {
    const isRequested = Number(cancellationReason === 'requested')
    const due = { 'endpoint.replayed': 1, 'endpoint.replay-cancelled': isRequested }
    for (const [act, count] of Object.entries(due))
      if ((lines.get(`${act} ${_id}`)?.length ?? 0) !== count) yield [_id, `has not ${count} lines ${act}`]
  }
}

export const ofEvents = {
  'event.exact': eventExact,
  'event.reported': eventReported,
  'events.complete': eventsComplete,
  'replay.exact': replayExact,
}
