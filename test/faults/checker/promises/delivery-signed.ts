import { createHmac } from 'node:crypto'
import { deliveryIn } from '../../evidence/delivery-id.ts'
import type { Arrival } from '../../evidence/evidence.ts'
import type { Broken, Judge, Round } from '../round.ts'
import { arrivedOtherwise, namedIn } from '../views/arrived-otherwise.ts'
import { signedAt } from '../views/attempts.ts'
import { lateMs } from '../views/requests.ts'
import { type Signing, type Signings, signingsOf } from '../views/secrets.ts'
import type { Past } from '../views/subscriptions.ts'
import { settles } from '../views/times.ts'

/** Between the signing of an attempt and its arrival, and between the read of an endpoint and the signing, where nothing is wrong. */
const promptMs = 10_000
/** The replay protection that receivers are told of (SPEC 6.3). */
const freshMs = 300_000
/** A replaced secret signs for so long. */
const overlapMs = 24 * 3_600_000
/** So many replaced ones at most. */
const mostPrevious = 5

/**
 * Every arrival is signed afresh over its exact bytes, under the secret of then, says its event, and comes to where its endpoint was (SPEC 6.2, 6.3). Each is of
 * a delivery that is there, of a test that somebody asked for, or of a delivery that the clean-up may have taken since.
 */
export const deliverySigned: Judge = function* (round) {
  const deliveries = new Map(round.dump.deliveries.map((delivery) => [delivery._id, delivery]))
  const signings = signingsOf(round.requests)
  const mayCome = arrivedOtherwise(round)
  for (const arrival of round.arrivals) {
    const of = deliveryIn(arrival.body)
    const { endpointId, event } = deliveries.get(of) ?? namedIn(of, arrival.body)
    if (!deliveries.has(of) && !mayCome(of, arrival))
      yield { of, says: `came to ${arrival.path}, is no delivery that there is, and nobody asked for a test` }
    yield* headers(round, of, event, arrival)
    const known = signings.get(endpointId)
    if (known !== undefined) yield* signatures(round, of, arrival, known)
    yield* place(round, of, arrival, round.pasts.get(endpointId))
    if (deliveries.has(of)) yield* stopped(round, of, arrival, round.pasts.get(endpointId))
  }
}

function* headers(round: Round, of: string, event: string, arrival: Arrival): Generator<Broken> {
  const told = arrival.headers
  if (told['x-service-event'] !== event || told['content-type'] !== 'application/json')
    yield { of, says: `arrived as ${told['x-service-event']}, ${told['content-type']}` }
  const { from, to } = round.times.aheadAt(arrival.at)
  const signedMs = signedAt(arrival) * 1000
  const [oldest, newest] = [arrival.at + from - signedMs, arrival.at + to - signedMs]
  const isPrompt = round.times.isCalm({ from: arrival.at - promptMs, to: arrival.at }, settles.requests)
  const mostMs = isPrompt ? promptMs : freshMs
  // Its clock, or all of them, may have been set while it was on its way.
  const skewMs = round.times.skewAround({ from: arrival.at - mostMs, to: arrival.at })
  const isFresh = newest >= -1000 - skewMs && oldest <= mostMs + skewMs
  if (!/^\d+$/.test(told['x-service-timestamp'] ?? '') || !isFresh)
    yield { of, says: `was signed at ${told['x-service-timestamp']}, ${oldest} ms before it arrived` }
}

const signature = (secret: string, timestamp: string, body: string): string =>
  `sha256=${createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex')}`

function* signatures(
  round: Round,
  of: string,
  arrival: Arrival,
  { secrets, isWhole }: Signings,
): Generator<Broken> {
  const { headers: told, body, at } = arrival
  const signed = (secret: string) => signature(secret, told['x-service-timestamp'] ?? '', body)
  const first = told['x-service-signature'] ?? ''
  const previous = (told['x-service-signature-previous'] ?? '').split(',').filter((each) => each !== '')
  const isQuick = round.times.isCalm({ from: at - promptMs, to: at }, settles.requests)
  // A frozen attempt is sent with what it was signed by; else what another rotation replaced, surely, is the first no more.
  const wasReplaced = (one: Signing) =>
    isQuick && secrets.some((later) => later.from > one.to && later.to < at - promptMs)
  const isKnown = secrets.some((one) => one.from <= at && !wasReplaced(one) && signed(one.secret) === first)
  if (isWhole && !isKnown)
    return yield { of, says: 'arrived with a signature of no secret that was told for then' }
  if (!isWhole && !isKnown && !secrets.some(({ secret }) => previous.includes(signed(secret))))
    yield { of, says: 'arrived with no signature of a secret that was told' }
  if (!isWhole) return
  const own = secrets.find(({ secret }) => signed(secret) === first)
  const replaced = secrets.filter(({ to }) => own !== undefined && to < own.from).slice(-mostPrevious)
  for (const { secret, to } of replaced) {
    const next = secrets.find(({ from }) => from > to)
    if (next !== undefined && isInOverlap(round, next.from, at) && !previous.includes(signed(secret)))
      yield { of, says: 'lacks the signature of a secret that was replaced less than 24 hours ago' }
  }
}

const isInOverlap = ({ times }: Round, replacedAt: number, at: number): boolean =>
  at + times.aheadAt(at).to - (replacedAt + times.aheadAt(replacedAt).from) < overlapMs - promptMs

function* place(
  { times }: Round,
  of: string,
  { at, path }: Arrival,
  past: Past | undefined,
): Generator<Broken> {
  const isQuick = times.isCalm({ from: at - promptMs, to: at }, settles.requests)
  const urls = past?.urls({ from: at - (isQuick ? promptMs : freshMs), to: at })
  if (urls !== undefined && ![...urls].some((url) => new URL(url).pathname === path))
    yield { of, says: `arrived at ${path}, and its endpoint was at ${[...urls].join(' or ')}` }
}

/** Between the read of an endpoint and the signing, on a machine that is busy. */
const readMs = 3000

/** A test is sent also where the endpoint is switched off; else nothing begins after the stop, but what had read the endpoint and then stood still. */
function* stopped({ times }: Round, of: string, arrival: Arrival, past: Past | undefined): Generator<Broken> {
  const signed = times.machineTime(signedAt(arrival) * 1000)
  const from = signed.from - times.skewAround({ from: signed.from, to: arrival.at })
  const isQuick = times.isCalmForWrites({ from: from - promptMs, to: arrival.at }, settles.requests)
  if (past?.wasStopped({ from: from - (isQuick ? readMs : lateMs), to: arrival.at }))
    yield { of, says: `was sent to ${arrival.path}, and its endpoint was deleted or switched off before` }
}
