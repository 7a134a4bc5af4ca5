import { randomInt } from 'node:crypto'
import type { mongo, PipelineStage } from 'mongoose'
import type { QuotaName } from '../businesses/quotas.ts'
import { findOldestEvent } from '../events/log.ts'
import { codeKeyOf } from '../intents/codes.ts'
import type { Intent } from '../intents/intent.ts'
import { transitions } from '../intents/lifecycle.ts'
import {
  briefMs,
  type Figure,
  figureOf,
  minuteMs,
  numberOf,
  pingOf,
  queryTimeoutMs,
} from '../metrics/figure.ts'
import { clearGauge } from '../metrics/metrics.ts'
import { nativeCollection } from '../mongo/collection.ts'
import { pingMongo } from '../mongo/connect.ts'
import type { Deps } from '../platform/deps.ts'
import { allShortCodes, newOrderNumber, newReferenceNumber, shortCodeOf } from '../platform/ids.ts'
import type { RetentionRecord } from '../retention/record.ts'
import type { ServiceKey } from '../security/service-keys.ts'
import { latestCheck } from '../verification/nightly-check.ts'
import type { Delivery } from '../webhooks/deliveries/delivery.ts'
import { standing } from '../webhooks/endpoints/endpoint.ts'

/**
 * What a scrape reads from MongoDB. Every query uses an index, and the scrape waits for up to `queryTimeoutMs` per
 * figure. They read only index keys or one document, except for the sample of payment codes (up to 2 000 documents),
 * the estimate of stored bytes (1 000 of each kind), the failing endpoints (1 000) and the open outcomes (1 000 intents
 * from each end of an index). All but the ping and the counts of live codes use the connections for lists, so a scrape
 * never holds up a write.
 */
export function figuresOfMongo(all: Pick<Deps, 'lists'>): Figure[] {
  const deps: Deps = Object.create(all, Object.getOwnPropertyDescriptors(all.lists.models))
  const { gauges } = deps.metrics
  return [
    pingOf(gauges.mongodbUp, gauges.mongodbPing, () => pingMongo(deps.mongo)),
    numberOf(gauges.dueDeliveries, briefMs, () =>
      deps.Delivery.countDocuments(due(deps), { limit: maxDue, maxTimeMS: queryTimeoutMs }),
    ),
    numberOf(gauges.failingEndpoints, minuteMs, () =>
      deps.Endpoint.countDocuments(
        { ...standing, active: true, 'reportedFailure.since': { $type: 'date' } },
        { limit: 1_000, hint: 'reported', maxTimeMS: queryTimeoutMs },
      ),
    ),
    numberOf(gauges.oldestDueDelivery, briefMs, () => oldestDue(deps)),
    numberOf(gauges.replaysRunning, briefMs, () =>
      deps.Replay.countDocuments({ running: true }, { hint: 'due', maxTimeMS: queryTimeoutMs }),
    ),
    numberOf(gauges.outboxLag, briefMs, async () =>
      ageOf(deps, (await findOldestEvent(deps, queryTimeoutMs))?.createdAt),
    ),
    numberOf(gauges.expiryLag, briefMs, () => expiryLag(deps)),
    numberOf(gauges.liveCodesUsed, minuteMs, () => fractionOfLiveCodes(deps)),
    numberOf(gauges.shortCodesUsed, minuteMs, async () => {
      const counter = await deps.ServiceKey.findById('shortCodes', { used: 1 })
        .maxTimeMS(queryTimeoutMs)
        .lean<ServiceKey | null>()
      return Math.min(1, (counter?.used ?? 0) / allShortCodes)
    }),
    fullestBusinesses(deps),
    storedBytes(deps),
    numberOf(gauges.lastAuditCheck, minuteMs, async () => {
      const check = await latestCheck(deps)
      return check && check.at.getTime() / 1000
    }),
    numberOf(gauges.lastNightCleaned, minuteMs, async () => {
      const record = await deps.RetentionRecord.findById('nightly')
        .maxTimeMS(queryTimeoutMs)
        .lean<RetentionRecord | null>()
      return record && record.completedFor.getTime() / 1000
    }),
    figureOf([gauges.openOutcomes, gauges.oldestOpenOutcome], briefMs, async () => {
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

/** Counting more would reveal nothing new. */
const maxDue = 10_000

/** `$type` makes MongoDB use the partial index `open`. During an attempt, the lease ends in the future: no match. */
const due = (deps: Pick<Deps, 'now'>) => ({ nextAttemptAt: { $type: 'date', $lte: deps.now() } }) as const

/** In seconds; 0 if no delivery is due. */
async function oldestDue(deps: Pick<Deps, 'Delivery' | 'now'>): Promise<number> {
  const oldest = await deps.Delivery.findOne(due(deps), { nextAttemptAt: 1 })
    .sort({ nextAttemptAt: 1 })
    .maxTimeMS(queryTimeoutMs)
    .lean<Pick<Delivery, 'nextAttemptAt'> | null>()
  return ageOf(deps, oldest?.nextAttemptAt)
}

/** In seconds; 0 if no intent is overdue. Ignores intents held by a payment, which may expire late. */
async function expiryLag(deps: Pick<Deps, 'Intent' | 'now'>): Promise<number> {
  const oldest = await deps.Intent.findOne(
    { status: { $in: transitions.expire.from }, ...transitions.expire.guard(deps.now()) },
    { expiresAt: 1 },
  )
    .sort({ cancelsAt: 1 })
    .maxTimeMS(queryTimeoutMs)
    .lean<Pick<Intent, 'expiresAt'> | null>()
  return ageOf(deps, oldest?.expiresAt)
}

/**
 * The sample starts at 000000. It's representative, because codes are random: with 80 % in use, the error is about one
 * percent. Reading all would mean a million documents.
 */
const sampledCodes = 2_000

const keyOf = (code: number): string =>
  codeKeyOf({ businessId: '', sandbox: false }, String(code).padStart(6, '0'))

/** From 0 to 1: the live payment codes that new intents can't get. */
async function fractionOfLiveCodes(deps: Pick<Deps, 'Intent' | 'now'>): Promise<number> {
  const taken = await deps.Intent.countDocuments(
    // A code keeps its key until another intent gets it, so `codeReusableAt` must be checked too.
    { codeKey: { $gte: keyOf(0), $lt: keyOf(sampledCodes) }, codeReusableAt: { $gt: deps.now() } },
    { maxTimeMS: queryTimeoutMs },
  )
  return taken / sampledCodes
}

/** Read from each end of the index. More would reveal nothing new. */
const maxCounted = 1_000

/**
 * Counts the payments or refunds whose outcome isn't stored yet, in at most `maxCounted` intents, and finds the age of
 * the oldest – of those that were read, if more than twice `maxCounted` intents have any. Most payments in progress are
 * done within a second.
 *
 * The index is ordered by the next query to the wallet, and outcomes wait longer for that the longer they are open, up
 * to a minute. So the newest are usually at its start, and those open for minutes at its end; but if no worker queries
 * the wallet, the oldest are at the start. Hence both ends, in case there are too many to read.
 */
async function openOutcomes(
  deps: Pick<Deps, 'Intent' | 'now'>,
  queryAt: string,
  startedAt: string,
  unwind: PipelineStage[],
) {
  const from = async (direction: 1 | -1) => {
    const [result] = await deps.Intent.aggregate<{ count: number; oldest: Date }>([
      // Don't add conditions: like this, MongoDB reads the index in order.
      { $match: { [queryAt]: { $exists: true } } },
      { $sort: { [queryAt]: direction } },
      { $limit: maxCounted },
      ...unwind,
      { $group: { _id: null, count: { $sum: 1 }, oldest: { $min: startedAt } } },
    ]).option({ maxTimeMS: queryTimeoutMs })
    return { count: result?.count ?? 0, oldestSeconds: ageOf(deps, result?.oldest) }
  }
  const [first, last] = await Promise.all([from(1), from(-1)])
  return { count: first.count, oldestSeconds: Math.max(first.oldestSeconds, last.oldestSeconds) }
}

/** Each business gets its own time series. */
const maxBusinesses = 10

/** An estimate is reused for this long, because storage grows slowly and an estimate reads up to 3 000 documents. */
const tenMinutesMs = 600_000

/**
 * Documents per collection. The sample starts at a random position in an index on random text, so it's representative:
 * about 100 documents are of a business that owns a tenth, and the estimate for it is accurate to about 10 %.
 */
const sampleSize = 1_000

interface Part {
  _id: string
  documents: number
  bytes: number
}

/** Counts BSON bytes before compression, without indexes. */
function storedBytes(deps: Pick<Deps, 'Delivery' | 'Intent' | 'Order' | 'metrics'>): Figure {
  const { businessStoredBytes } = deps.metrics.gauges
  return figureOf([businessStoredBytes], tenMinutesMs, async () => {
    const bytes = new Map<string, number>()
    const parts = await Promise.all([
      estimate(nativeCollection(deps.Intent), 'shortCode', shortCodeOf(randomInt(allShortCodes))),
      // Reference numbers of order deliveries have another prefix, so the sample hardly ever includes any.
      estimate(nativeCollection(deps.Delivery), 'referenceNumber', newReferenceNumber()),
      estimate(nativeCollection(deps.Order), 'number', newOrderNumber()),
    ])
    for (const part of parts.flat()) bytes.set(part._id, (bytes.get(part._id) ?? 0) + part.bytes)
    clearGauge(businessStoredBytes)
    const largest = [...bytes].toSorted(([, a], [, b]) => b - a).slice(0, maxBusinesses)
    for (const [business, sum] of largest) businessStoredBytes.set({ business }, Math.round(sum))
  })
}

async function estimate<Doc extends mongo.Document>(
  collection: mongo.Collection<Doc>,
  field: string,
  start: string,
): Promise<Part[]> {
  const after = await sample(collection, field, { $gte: start }, sampleSize)
  const found = sum(after)
  const before = found < sampleSize ? await sample(collection, field, { $lt: start }, sampleSize - found) : []
  const parts = [...after, ...before]
  // The sample contains the whole collection.
  if (sum(parts) < sampleSize) return parts
  const all = await collection.estimatedDocumentCount({ maxTimeMS: queryTimeoutMs })
  return parts.map((part) => ({ ...part, bytes: (part.bytes * all) / sampleSize }))
}

const sum = (parts: readonly Part[]): number => parts.reduce((all, { documents }) => all + documents, 0)

const sample = <Doc extends mongo.Document>(
  collection: mongo.Collection<Doc>,
  field: string,
  where: object,
  max: number,
): Promise<Part[]> =>
  collection
    .aggregate<Part>(
      [
        { $match: { [field]: where } },
        { $sort: { [field]: 1 } },
        { $limit: max },
        { $group: { _id: '$businessId', documents: { $sum: 1 }, bytes: { $sum: { $bsonSize: '$$ROOT' } } } },
      ],
      { maxTimeMS: queryTimeoutMs },
    )
    .toArray()

const dailyQuotas = [
  'liveDocuments',
  'liveBytes',
  'sandboxBytes',
  'sandboxCreates',
] as const satisfies QuotaName[]

/** Covers only businesses that used a quota through this process. */
function fullestBusinesses({
  liveCodes,
  counters,
  metrics: { gauges },
}: Pick<Deps, 'counters' | 'liveCodes' | 'metrics'>): Figure {
  const gauge = gauges.businessQuotaUsed
  return figureOf([gauge], minuteMs, async () => {
    const fullest = await Promise.all([
      liveCodes.fullest(maxBusinesses),
      ...dailyQuotas.map((name) => counters.fullest(name, maxBusinesses)),
    ])
    clearGauge(gauge)
    for (const [index, quota] of ['liveCodes', ...dailyQuotas].entries())
      for (const { owner: business, used, limit } of fullest[index] ?? [])
        gauge.set({ business, quota }, used / limit)
  })
}
