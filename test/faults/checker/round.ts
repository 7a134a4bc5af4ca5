import { type Invariant, type Violation, violations } from '../../invariants/check.ts'
import type { DeliveryDocument, EndpointDocument, IntentDocument, ReplayDocument } from '../../invariants/documents.ts'
import { groupsOf } from './groups.ts'
import type { Evidence } from './read-folder.ts'
import { type Request, requestsOf } from './requests.ts'
import { lateMs, type Span, type Times, timesOf } from './times.ts'

/** Promises about time, which a fault may excuse. */
export const timed = [
  ...(['response.sound', 'delivery.counted', 'delivery.paced', 'expiry.prompt', 'events.complete'] as const),
] as const
export type Timed = (typeof timed)[number]
/** How many things each promise would have reported if they had been late. */
export type Checked = Record<Timed, number>
export const nothingChecked = () => Object.fromEntries(timed.map((promise) => [promise, 0])) as Checked

/** The evidence of a round, and what several promises derive from it. */
export interface Round extends Evidence {
  times: Times
  checked: Checked
  /** Returns whether the span was calm, and counts it for the promise. */
  isDue(promise: Timed, span: Span, settleMs: number): boolean
  /** Like `isDue`, but ignores faults that only delay. */
  isDueOfWrites(promise: Timed, span: Span, settleMs: number): boolean
  requests: Request[]
  intentOf: Map<string, IntentDocument>
  intentAt: (shortCode: string | undefined) => IntentDocument | undefined
  endpointOf: Map<string, EndpointDocument>
  /** By the reference of the intent or order. */
  deliveriesOf: Map<string, DeliveryDocument[]>
  /** The replays that may have inserted or re-queued a delivery, which names only the last of them. */
  replaysOf: (delivery: DeliveryDocument) => ReplayDocument[]
  /** The violations of invariants in the dump. */
  broken: (...invariants: Invariant[]) => Finding[]
  /** The service's clock when MongoDB was dumped. */
  endShown: number
  /** Whether the clean-up may have removed a document by the end. */
  mayBeCleaned(made: { sandbox: boolean; createdAt: number }): boolean
}

export type Finding = [subject: string, message: string]
export type Findings = Generator<Finding>
/** Finds the violations of one promise. */
export type Check = (round: Round) => Iterable<Finding>

export function roundOf(evidence: Evidence): Round {
  const { setting, calls, dump } = evidence
  const times = timesOf(evidence)
  const endedAt = Math.max(setting.quietAt ?? setting.healedAt, ...calls.slice(-1).map(({ ended }) => ended))
  const endShown = endedAt + times.aheadAt(endedAt).to
  const keptMs = setting.settings.sandboxRetentionDays * 86_400_000
  const byShortCode = new Map(dump.intents.map((intent) => [intent.shortCode, intent]))
  const checked = nothingChecked()
  const counted = (promise: Timed, isCalm: boolean): boolean => {
    if (isCalm) checked[promise] += 1
    return isCalm
  }
  const mayBeCleaned: Round['mayBeCleaned'] = ({ sandbox, createdAt }) => sandbox && createdAt + keptMs < endShown
  const isCleaned = mayBeCleaned({ sandbox: true, createdAt: setting.beganAt })
  let found: Violation[] | undefined
  return {
    ...evidence,
    mayBeCleaned,
    broken(...invariants) {
      found ??= violations(dump, { cleanedBefore: endShown - keptMs, isCleaned, lateMs })
      return found.flatMap(({ invariant, id, what }) => (invariants.includes(invariant) ? [[id, what]] : []))
    },
    times,
    checked,
    isDue: (promise, span, settleMs) => counted(promise, times.isCalm(span, settleMs)),
    isDueOfWrites: (promise, span, settleMs) => counted(promise, times.isCalmForWrites(span, settleMs)),
    requests: requestsOf(calls, times),
    intentOf: new Map(dump.intents.map((intent) => [intent.referenceNumber, intent])),
    intentAt: (shortCode) => byShortCode.get(shortCode ?? ''),
    endpointOf: new Map(dump.webhookendpoints.map((endpoint) => [endpoint._id, endpoint])),
    deliveriesOf: groupsOf(dump.deliveries, ({ referenceNumber }) => referenceNumber),
    replaysOf: ({ endpointId, event }) =>
      dump.webhookreplays.filter((replay) => replay.endpointId === endpointId && replay.events.includes(event)),
    endShown,
  }
}
