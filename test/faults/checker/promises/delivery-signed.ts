import { createHmac } from 'node:crypto'
import { type Arrival, type Call, deliveryIn } from '../../evidence/evidence.ts'
import { signedAt } from '../attempts.ts'
import { createdAtOf } from '../created-at.ts'
import { endpointOfDelivery, steadyEndpoints } from '../endpoints.ts'
import { groupsOf, having } from '../groups.ts'
import { dataOf, endpointIn } from '../responses.ts'
import type { Check, Findings, Round } from '../round.ts'
import { type Secrets, signingSecrets } from '../signing-secrets.ts'
import { lateMs } from '../times.ts'

/** Endpoints refuse an older timestamp (SPEC 6.3). */
const freshMs = 300_000
/** How long requests are also signed with the secret before a rotation. */
const overlapMs = 24 * 3_600_000

/**
 * Every arrival is signed over its exact bytes with a secret of its endpoint, and comes to the URL of the endpoint
 * (SPEC 6.3). It belongs to a stored delivery, to a requested test, or to data that the clean-up may have removed.
 */
export const deliverySigned: Check = function* (round) {
  const deliveries = new Map(round.dump.deliveries.map((delivery) => [delivery._id, delivery]))
  const urls = new Map(steadyEndpoints(round).map(({ _id, url }) => [_id, url]))
  const secrets = signingSecrets(round.requests)
  const mayCome = otherArrivals(round)
  for (const arrival of round.arrivals) {
    const id = deliveryIn(arrival.body)
    const endpointId = endpointOfDelivery(id)
    const delivery = deliveries.get(id)
    if (delivery === undefined && !mayCome(id, arrival))
      yield [id, `came to ${arrival.path}, is no delivery, and no test was requested`]
    if (delivery !== undefined && arrival.headers['x-service-event'] !== delivery.event)
      yield [id, `arrived as ${arrival.headers['x-service-event']}`]
    if (delivery !== undefined && arrival.headers['x-service-event-id'] !== delivery.eventId)
      yield [id, `arrived as event ${arrival.headers['x-service-event-id']}`]
    const known = secrets.get(endpointId)
    if (known !== undefined) yield* signed(round, id, arrival, known)
    const url = urls.get(endpointId)
    if (url !== undefined && new URL(url).pathname !== arrival.path)
      yield [id, `arrived at ${arrival.path}, and its endpoint is ${url}`]
    const { deletedAt } = round.endpointOf.get(endpointId) ?? { deletedAt: null }
    const skewMs = round.times.skewAround({ from: arrival.at - lateMs, to: arrival.at })
    const isLate = deletedAt !== null && signedAt(arrival) * 1000 > deletedAt + lateMs + skewMs
    if (delivery !== undefined && isLate) yield [id, 'was sent after its endpoint was deleted']
  }
}

function* signed({ times, setting }: Round, id: string, arrival: Arrival, known: Secrets): Findings {
  const { headers, body, at } = arrival
  const timestamp = headers['x-service-timestamp'] ?? ''
  const signatures = known.secrets.map(
    (secret) => `sha256=${createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex')}`,
  )
  const previous = (headers['x-service-signature-previous'] ?? '').split(',')
  // After a rotation with an unknown outcome only a previous secret is known.
  const given = [headers['x-service-signature'] ?? '', ...(known.isWhole ? [] : previous)]
  const ahead = times.aheadAt(at)
  // If time has also jumped since, not even the previous secret is used any longer.
  const isUnknown = !known.isWhole && ahead.to - times.aheadAt(setting.beganAt).from >= overlapMs
  if (!isUnknown && !given.some((each) => signatures.includes(each))) yield [id, 'arrived without a valid signature']
  const skewMs = freshMs + times.skewAround({ from: at - freshMs, to: at })
  const shown = signedAt(arrival) * 1000
  if (shown < at + ahead.from - skewMs || shown > at + ahead.to + skewMs)
    yield [id, `was signed at ${timestamp}, and arrived at ${new Date(at).toISOString()}`]
}

/** Whether an arrival may have no stored delivery: a requested test, or old data of the sandbox. */
function otherArrivals(round: Round): (id: string, arrival: Arrival) => boolean {
  const requested = having(round.calls, 'endpoint.test').filter(({ actor }) => actor === 'merchant')
  const tests = groupsOf(requested, endpointIn)
  const createdAt = createdAtOf(round)
  const oldest = round.setting.beganAt + round.times.aheadAt(round.setting.beganAt).from
  return (id, { at, body }) => {
    if (id === '') return false
    const { event, sandbox, data } = JSON.parse(body)
    if (/^(?:PI|OR)-TEST0+$/.test(data.reference_number))
      return (tests.get(endpointOfDelivery(id)) ?? []).some((call) => mayHaveSent(call, id, event, at))
    return round.mayBeCleaned({ sandbox, createdAt: createdAt.get(data.reference_number) ?? oldest })
  }
}

const mayHaveSent = (call: Call, id: string, event: string, at: number): boolean =>
  call.began <= at &&
  (call.body as { event?: string }).event === event &&
  ((call.status ?? 500) >= 500 || dataOf<{ deliveryId: string }>(call)?.deliveryId === id)
