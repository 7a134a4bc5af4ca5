import type { Violation } from '../evidence/evidence.ts'
import type { DeliveryDocument, EndpointDocument, IntentDocument } from './documents.ts'
import type { Evidence } from './folder/evidence.ts'
import { groupsOf } from './views/groups.ts'
import { type Request, requestsOf } from './views/requests.ts'
import { type Past, pastsOf } from './views/subscriptions.ts'
import { type Span, type Times, timesOf } from './views/times.ts'
import { type Variant, variantsByProduct } from './views/variants.ts'

/** Promises that say something of a thing only where nothing was wrong around it, or more than they say else. */
export const timed = ['answer.sound', 'delivery.counted', 'delivery.paced', 'expiry.prompt'] as const
export type Timed = (typeof timed)[number]
/** Of how many things each of them would have said that they are wrong. */
export type Judged = Record<Timed, number>

export const nothingJudged = (): Judged => ({
  'answer.sound': 0,
  'delivery.counted': 0,
  'delivery.paced': 0,
  'expiry.prompt': 0,
})

/** A round as the promises look at it: the evidence, and what several of them need of it, made once. */
export interface Round extends Evidence {
  times: Times
  judged: Judged
  /** Whether nothing was in the way of what was due in the span (`isCalm`); counts it as judged by the promise. */
  isDue(promise: Timed, span: Span, settleMs: number): boolean
  /** The same for what only a fault of those who write explains (`isCalmForWrites`). */
  isDueOfWriters(promise: Timed, span: Span, settleMs: number): boolean
  requests: Request[]
  intentOf: Map<string, IntentDocument>
  intentAt: (shortCode: string | undefined) => IntentDocument | undefined
  endpointOf: Map<string, EndpointDocument>
  /** Of each endpoint that was ever there, by its id. */
  pasts: Map<string, Past>
  /** By the reference of what they tell of. */
  deliveriesOf: Map<string, DeliveryDocument[]>
  /** Of each product that somebody surely made, by its id. */
  variantsOf: Map<string, Variant[]>
  /** Of the service's clock, when the dump was made. */
  endShown: number
  /** Whether what was made then with a test key may be gone by the end, with the clean-up. */
  mayBeCleaned(made: { sandbox: boolean; createdAt: number }): boolean
}

/** Says of a round where it broke one promise. */
export type Judge = (round: Round) => Iterable<Broken>
export type Broken = Omit<Violation, 'promise'>

const dayMs = 24 * 3_600_000

export function roundOf(evidence: Evidence): Round {
  const { setting, calls, dump } = evidence
  const times = timesOf(evidence)
  const endedAt = Math.max(setting.quietAt ?? setting.healedAt, ...calls.slice(-1).map(({ ended }) => ended))
  const endShown = endedAt + times.aheadAt(endedAt).to
  const keptMs = setting.settings.sandboxRetentionDays * dayMs
  const byShortCode = new Map(dump.intents.map((intent) => [intent.shortCode, intent]))
  const judged = nothingJudged()
  const counted = (promise: Timed, isJudged: boolean): boolean => {
    if (isJudged) judged[promise] += 1
    return isJudged
  }
  return {
    ...evidence,
    times,
    judged,
    isDue: (promise, span, settleMs) => counted(promise, times.isCalm(span, settleMs)),
    isDueOfWriters: (promise, span, settleMs) => counted(promise, times.isCalmForWrites(span, settleMs)),
    requests: requestsOf(calls, times),
    intentOf: new Map(dump.intents.map((intent) => [intent.referenceNumber, intent])),
    intentAt: (shortCode) => byShortCode.get(shortCode ?? ''),
    endpointOf: new Map(dump.webhookendpoints.map((endpoint) => [endpoint._id, endpoint])),
    pasts: pastsOf(evidence, times),
    deliveriesOf: groupsOf(dump.deliveries, ({ referenceNumber }) => referenceNumber),
    variantsOf: variantsByProduct(evidence),
    endShown,
    mayBeCleaned: ({ sandbox, createdAt }) => sandbox && createdAt + keptMs < endShown,
  }
}
