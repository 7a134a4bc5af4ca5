import type { Violation } from '../evidence/evidence.ts'
import type { DeliveryDocument, EndpointDocument, IntentDocument } from './documents.ts'
import type { Evidence } from './folder/evidence.ts'
import { groupsOf } from './views/groups.ts'
import { type Request, requestsOf } from './views/requests.ts'
import { type Times, timesOf } from './views/times.ts'

/** A round as the promises look at it: the evidence, and what several of them need of it, made once. */
export interface Round extends Evidence {
  times: Times
  requests: Request[]
  intentOf: Map<string, IntentDocument>
  intentAt: (shortCode: string | undefined) => IntentDocument | undefined
  endpointOf: Map<string, EndpointDocument>
  /** By the reference of what they tell of. */
  deliveriesOf: Map<string, DeliveryDocument[]>
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
  return {
    ...evidence,
    times,
    requests: requestsOf(calls, times),
    intentOf: new Map(dump.intents.map((intent) => [intent.referenceNumber, intent])),
    intentAt: (shortCode) => byShortCode.get(shortCode ?? ''),
    endpointOf: new Map(dump.webhookendpoints.map((endpoint) => [endpoint._id, endpoint])),
    deliveriesOf: groupsOf(dump.deliveries, ({ referenceNumber }) => referenceNumber),
    endShown,
    mayBeCleaned: ({ sandbox, createdAt }) => sandbox && createdAt + keptMs < endShown,
  }
}
