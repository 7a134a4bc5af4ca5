import { randomInt } from 'node:crypto'
import type { PipelineStage } from 'mongoose'
import type { QuotaName } from '../businesses/quotas.ts'
import { findOldestOutboxEvent } from '../events/log.ts'
import { paymentCodeKeyOf } from '../intents/codes.ts'
import type { Intent } from '../intents/intent.ts'
import { transitions } from '../intents/lifecycle.ts'
import {
  briefCacheMs,
  gaugeCollector,
  type MetricCollector,
  metricTimeoutMs,
  numberCollector,
  pingCollector,
} from '../metrics/figure.ts'
import { clearGauge } from '../metrics/metrics.ts'
import { pingMongo } from '../mongo/connect.ts'
import type { Deps } from '../platform/deps.ts'
import { newOrderNumber, newReferenceNumber, shortCodeCount, toShortCode } from '../platform/ids.ts'
import { minuteMs } from '../platform/time.ts'
import type { RetentionRecord } from '../retention/record.ts'
import type { ServiceKey } from '../security/service-keys.ts'
import { findLatestCheck } from '../verification/nightly-check.ts'
import type { Delivery } from '../webhooks/deliveries/delivery.ts'
import { undeletedFilter } from '../webhooks/endpoints/endpoint.ts'

/** Every query uses an index and reads a bounded number of documents. */
export function mongoMetricCollectors(all: Pick<Deps, 'lists'>): MetricCollector[] {
  const deps: Deps = Object.create(all, Object.getOwnPropertyDescriptors(all.lists.models))
  const { gauges } = deps.metrics
  return [
    pingCollector(gauges.mongodbUp, gauges.mongodbPing, () => pingMongo(deps.mongo)),
    numberCollector(gauges.dueDeliveries, briefCacheMs, () =>
      deps.Delivery.countDocuments(due(deps), { limit: maxDue, maxTimeMS: metricTimeoutMs }),
    ),
    numberCollector(gauges.failingEndpoints, minuteMs, () =>
      deps.Endpoint.countDocuments(
        { ...undeletedFilter, active: true, 'reportedFailure.since': { $type: 'date' } },
        { limit: 1_000, hint: 'reported', maxTimeMS: metricTimeoutMs },
      ),
    ),
    numberCollector(gauges.oldestDueDelivery, briefCacheMs, () => oldestDue(deps)),
    numberCollector(gauges.replaysRunning, briefCacheMs, () =>
      deps.Replay.countDocuments({ running: true }, { hint: 'due', maxTimeMS: metricTimeoutMs }),
    ),
    numberCollector(gauges.outboxLag, briefCacheMs, async () =>
      ageOf(deps, (await findOldestOutboxEvent(deps, metricTimeoutMs))?.createdAt),
    ),
    numberCollector(gauges.expiryLag, briefCacheMs, () => expiryLag(deps)),
    numberCollector(gauges.liveCodesUsed, minuteMs, () => fractionOfLiveCodes(deps)),
    numberCollector(gauges.shortCodesUsed, minuteMs, async () => {
      const counter = await deps.ServiceKey.findById('shortCodes', { used: 1 })
        .maxTimeMS(metricTimeoutMs)
        .lean<ServiceKey | null>()
      return Math.min(1, (counter?.used ?? 0) / shortCodeCount)
    }),
    fullestBusinesses(deps),
    storedBytes(deps),
    numberCollector(gauges.lastAuditCheck, minuteMs, async () => {
      const check = await findLatestCheck(deps)
      return check && check.at.getTime() / 1000
    }),
    numberCollector(gauges.lastNightCleaned, minuteMs, async () => {
      const record = await deps.RetentionRecord.findById('nightly')
        .maxTimeMS(metricTimeoutMs)
        .lean<RetentionRecord | null>()
      return record && record.completedFor.getTime() / 1000
    }),
    gaugeCollector([gauges.openOutcomes, gauges.oldestOpenOutcome], briefCacheMs, async () => {
      const [payment, refund] = await Promise.all([
        openOutcomes(deps, 'hold.queryAt', '$hold.startedAt', []),
        openOutcomes(deps, 'refunds.queryAt', '$refunds.createdAt', [
          { $unwind: '$refunds' },
          { $match: { 'refunds.queryAt': { $type: 'date' } } },
        ]),
      ])
      for (const [kind, open] of Object.entries({ payment, refund })) {
        gauges.openOutcomes.set({ kind }, open.count)
        gauges.oldestOpenOutcome.set({ kind }, open.oldestSeconds)
      }
    }),
  ]
}

/** In seconds. 0 if `at` is missing or in the future. */
const ageOf = (deps: Pick<Deps, 'now'>, at: Date | null | undefined): number =>
  at ? Math.max(0, deps.now().getTime() - at.getTime()) / 1000 : 0

const maxDue = 10_000

/** `$type` makes MongoDB use the partial index `open`. */
const due = (deps: Pick<Deps, 'now'>) => ({ nextAttemptAt: { $type: 'date', $lte: deps.now() } }) as const

async function oldestDue(deps: Pick<Deps, 'Delivery' | 'now'>): Promise<number> {
  const oldest = await deps.Delivery.findOne(due(deps), { nextAttemptAt: 1 })
    .sort({ nextAttemptAt: 1 })
    .maxTimeMS(metricTimeoutMs)
    .lean<Pick<Delivery, 'nextAttemptAt'> | null>()
  return ageOf(deps, oldest?.nextAttemptAt)
}

/** Ignores intents that a payment holds, because they may expire late. */
async function expiryLag(deps: Pick<Deps, 'Intent' | 'now'>): Promise<number> {
  const oldest = await deps.Intent.findOne(
    { status: { $in: transitions.expire.from }, ...transitions.expire.guard(deps.now()) },
    { expiresAt: 1 },
  )
    .sort({ cancelsAt: 1 })
    .maxTimeMS(metricTimeoutMs)
    .lean<Pick<Intent, 'expiresAt'> | null>()
  return ageOf(deps, oldest?.expiresAt)
}

/** Codes are random, so with 80 % in use the error is about 1 %. */
const sampledCodes = 2_000

const keyOf = (code: number) =>
  paymentCodeKeyOf({ businessId: '', sandbox: false }, String(code).padStart(6, '0'))

async function fractionOfLiveCodes(deps: Pick<Deps, 'Intent' | 'now'>): Promise<number> {
  const taken = await deps.Intent.countDocuments(
    // Codes keep their key even after they become free.
    { codeKey: { $gte: keyOf(0), $lt: keyOf(sampledCodes) }, codeReusableAt: { $gt: deps.now() } },
    { maxTimeMS: metricTimeoutMs },
  )
  return taken / sampledCodes
}

const maxCounted = 1_000

/**
 * The oldest outcome is usually at the end of the index, but at the start if
 * no worker queries the wallet.
 */
async function openOutcomes(
  deps: Pick<Deps, 'Intent' | 'now'>,
  queryAt: string,
  startedAt: string,
  unwind: PipelineStage[],
) {
  const from = async (direction: 1 | -1) => {
    const [result] = await deps.Intent.aggregate<{ count: number; oldest: Date }>([
      // With more conditions, MongoDB would not read the index in order.
      { $match: { [queryAt]: { $exists: true } } },
      { $sort: { [queryAt]: direction } },
      { $limit: maxCounted },
      ...unwind,
      { $group: { _id: null, count: { $sum: 1 }, oldest: { $min: startedAt } } },
    ]).option({ maxTimeMS: metricTimeoutMs })
    return { count: result?.count ?? 0, oldestSeconds: ageOf(deps, result?.oldest) }
  }
  const [first, last] = await Promise.all([from(1), from(-1)])
  return { count: first.count, oldestSeconds: Math.max(first.oldestSeconds, last.oldestSeconds) }
}

const maxBusinesses = 10

/** Storage grows slowly, and an estimate reads up to 3,000 documents. */
const tenMinutesMs = 600_000

/** For a business with a tenth of all documents, the error is about 10 %. */
const sampleSize = 1_000

interface Part {
  _id: string
  documents: number
  bytes: number
}

function storedBytes(deps: Pick<Deps, 'Delivery' | 'Intent' | 'Order' | 'metrics'>): MetricCollector {
  const { businessStoredBytes } = deps.metrics.gauges
  return gaugeCollector([businessStoredBytes], tenMinutesMs, async () => {
    const bytes = new Map<string, number>()
    const parts = await Promise.all([
      estimate(deps.Intent, 'shortCode', toShortCode(randomInt(shortCodeCount))),
      // Order deliveries have a different prefix, so few are in the sample.
      estimate(deps.Delivery, 'referenceNumber', newReferenceNumber()),
      estimate(deps.Order, 'number', newOrderNumber()),
    ])
    for (const part of parts.flat()) bytes.set(part._id, (bytes.get(part._id) ?? 0) + part.bytes)
    clearGauge(businessStoredBytes)
    const largest = [...bytes].toSorted(([, a], [, b]) => b - a).slice(0, maxBusinesses)
    for (const [business, sum] of largest) businessStoredBytes.set({ business }, Math.round(sum))
  })
}

type Sampled = Pick<Deps['Intent' | 'Delivery' | 'Order'], 'aggregate' | 'estimatedDocumentCount'>

async function estimate(model: Sampled, field: string, start: string): Promise<Part[]> {
  const after = await sample(model, { [field]: { $gte: start } }, field, sampleSize)
  const missing = sampleSize - countOf(after)
  const before = missing > 0 ? await sample(model, { [field]: { $lt: start } }, field, missing) : []
  const parts = [...after, ...before]
  if (countOf(parts) < sampleSize) return parts
  const all = await model.estimatedDocumentCount({ maxTimeMS: metricTimeoutMs })
  return parts.map((part) => ({ ...part, bytes: (part.bytes * all) / sampleSize }))
}

const countOf = (parts: readonly Part[]): number => parts.reduce((all, { documents }) => all + documents, 0)

const sample = (model: Sampled, where: object, field: string, max: number): Promise<Part[]> =>
  model
    .aggregate<Part>([
      { $match: where },
      { $sort: { [field]: 1 } },
      { $limit: max },
      { $group: { _id: '$businessId', documents: { $sum: 1 }, bytes: { $sum: { $bsonSize: '$$ROOT' } } } },
    ])
    .option({ maxTimeMS: metricTimeoutMs })

const dailyQuotas: QuotaName[] = ['liveDocuments', 'liveBytes', 'sandboxBytes', 'sandboxCreates']

function fullestBusinesses(deps: Pick<Deps, 'counters' | 'liveCodes' | 'metrics'>): MetricCollector {
  const gauge = deps.metrics.gauges.businessQuotaUsed
  return gaugeCollector([gauge], minuteMs, async () => {
    const fullest = await Promise.all([
      deps.liveCodes.fullest(maxBusinesses),
      ...dailyQuotas.map((name) => deps.counters.fullest(name, maxBusinesses)),
    ])
    clearGauge(gauge)
    for (const [index, quota] of ['liveCodes', ...dailyQuotas].entries())
      for (const { owner: business, used, limit } of fullest[index] ?? [])
        gauge.set({ business, quota }, used / limit)
  })
}
