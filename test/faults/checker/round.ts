import { type Invariant, type Violation, violations } from '../../invariants/check.ts'
import type { DeliveryDocument } from '../../invariants/documents.ts'
import { groupsOf } from '../../invariants/groups.ts'
import { type Evidence, having, type What } from '../evidence/evidence.ts'
import { isDone, type Request, requestsOf } from './requests.ts'
import { dataOf, endpointIn, intentsIn } from './responses.ts'
import { lateMs, type Span, timesOf } from './times.ts'

export const timed = [
  'response.sound',
  'delivery.counted',
  'delivery.paced',
  'expiry.prompt',
  'events.complete',
] as const
export type Timed = (typeof timed)[number]
export type Checked = Record<Timed, number>
export const nothingChecked = () => Object.fromEntries(timed.map((promise) => [promise, 0])) as Checked
export type Finding = [subject: string, message: string]
export type Findings = Generator<Finding>
export type Check = (round: Round) => Iterable<Finding>
export const dayMs = 86_400_000
export type Round = ReturnType<typeof roundOf>

export function roundOf(evidence: Evidence) {
  const { setting, calls, dump } = evidence
  const times = timesOf(evidence)
  const requests = requestsOf(calls, times)
  const endedAt = Math.max(setting.quietAt ?? setting.healedAt, ...calls.slice(-1).map(({ ended }) => ended))
  const endShown = endedAt + times.aheadAt(endedAt).to
  const keptMs = setting.settings.sandboxRetentionDays * dayMs
  const byShortCode = new Map(dump.intents.map((intent) => [intent.shortCode, intent]))
  const byReference = new Map(dump.intents.map((intent) => [intent.referenceNumber, intent]))
  const checked = nothingChecked()
  const counted = (promise: Timed, isCalm: boolean): boolean => {
    if (isCalm) checked[promise] += 1
    return isCalm
  }
  const mayBeCleaned = ({ sandbox, createdAt }: { sandbox: boolean; createdAt: number }): boolean =>
    sandbox && createdAt + keptMs < endShown
  const isCleaned = mayBeCleaned({ sandbox: true, createdAt: setting.beganAt })
  const keys = setting.businesses.flatMap((business) => business.keys)
  const edits = having(calls, 'endpoint.update', 'endpoint.delete').filter(
    ({ actor }) => actor !== 'stranger',
  )
  const changed = new Set(edits.map(endpointIn))
  const endpointOf = new Map(dump.webhookendpoints.map((endpoint) => [endpoint._id, endpoint]))
  let found: Violation[] | undefined
  return {
    ...evidence,
    times,
    checked,
    requests,
    endShown,
    mayBeCleaned,
    broken(...invariants: Invariant[]): Finding[] {
      found ??= violations(dump, { cleanedBefore: endShown - keptMs, isCleaned, lateMs })
      return found.flatMap(({ invariant, id, what }) => (invariants.includes(invariant) ? [[id, what]] : []))
    },
    isDue: (promise: Timed, span: Span, settleMs: number) => counted(promise, times.isCalm(span, settleMs)),
    isDueOfWrites: (promise: Timed, span: Span, settleMs: number) =>
      counted(promise, times.isCalmForWrites(span, settleMs)),
    done: <Data>(...whats: What[]): { request: Request; data: Data; call: number; ended: number }[] =>
      having(requests, ...whats).flatMap((request) => {
        const { settled } = request
        const data = isDone(request) ? dataOf<Data>(settled) : null
        return data && settled ? [{ request, data, call: settled.call, ended: settled.ended }] : []
      }),
    intentOf: (reference: string | null | undefined) => byReference.get(reference ?? ''),
    intentAt: (shortCode: string | undefined) => byShortCode.get(shortCode ?? ''),
    endpointOf,
    deliveryOf: new Map(dump.deliveries.map((delivery) => [delivery._id, delivery])),
    deliveriesOf: groupsOf(dump.deliveries, ({ referenceNumber }) => referenceNumber),
    /** Replays that may have inserted or re-queued the delivery, which names only the last of them. */
    replaysOf: ({ endpointId, event }: DeliveryDocument) =>
      dump.webhookreplays.filter((each) => each.endpointId === endpointId && each.events.includes(event)),
    /** Endpoints that no merchant updated or deleted. Which events were due to the others is unknown. */
    steady: new Map([...endpointOf].filter(([id]) => !changed.has(id))),
    publishable: new Set<string | null>(keys.flatMap(({ id, kind }) => (kind === 'publishable' ? [id] : []))),
    createdAtOf: createdAtOf(evidence),
    oldest: times.shownAt(setting.beganAt),
  }
}

function createdAtOf({ calls, dump }: Evidence): Map<string, number> {
  type Order = { number: string; createdAt: string }
  const ordersIn = (call: Evidence['calls'][number]): Order[] => {
    if (!call.what.startsWith('order')) return []
    const data = dataOf<Order & { items: Order[] }>(call)
    return call.what === 'order.list' ? (data?.items ?? []) : data === null ? [] : [data]
  }
  return new Map([
    ...calls.flatMap((call) => [
      ...intentsIn(call).map((shown) => [shown.referenceNumber, Date.parse(shown.createdAt)] as const),
      ...ordersIn(call).map((shown) => [shown.number, Date.parse(shown.createdAt)] as const),
    ]),
    ...dump.intents.map(({ referenceNumber, createdAt }) => [referenceNumber, createdAt] as const),
    ...dump.orders.map(({ number, createdAt }) => [number, createdAt] as const),
  ])
}

export const endpointOfDelivery = (id: string): string => Buffer.from(id, 'base64url').toString('hex', 12)
