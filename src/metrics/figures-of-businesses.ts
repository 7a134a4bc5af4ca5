import { randomInt } from 'node:crypto'
import type { mongo } from 'mongoose'
import type { QuotaName } from '../businesses/quotas.ts'
import type { Deps } from '../deps.ts'
import { nativeCollection } from '../mongo/collection.ts'
import { allShortCodes, newOrderNumber, newReferenceNumber, shortCodeOf } from '../security/ids.ts'
import { type Figure, figureOf, minuteMs, queryTimeoutMs } from './figure.ts'
import { omit } from './gauges.ts'

/** The maximum number of businesses that have their own time series. */
const maxBusinesses = 10

/** An estimate is reused for this long, because storage grows slowly and each estimate reads up to 3 000 documents. */
const tenMinutesMs = 600_000

/**
 * The number of documents to sample from each collection. The sample starts at a random position in an index on random
 * text, so it is representative. It contains about 100 documents of a business that owns a tenth of all documents, so
 * the estimate for that business is accurate to about 10 %.
 */
const sampleSize = 1_000

interface Part {
  _id: string
  documents: number
  bytes: number
}

/**
 * Creates the figure that estimates how many bytes the largest businesses use for intents, deliveries and orders. The
 * bytes are measured as BSON before compression, and do not include indexes.
 */
export function storedBytes(deps: Deps): Figure {
  const { businessStoredBytes } = deps.metrics.gauges
  return figureOf([businessStoredBytes], tenMinutesMs, async () => {
    const bytes = new Map<string, number>()
    const parts = await Promise.all([
      estimate(nativeCollection(deps.Intent), 'shortCode', shortCodeOf(randomInt(allShortCodes))),
      // The reference numbers of order deliveries have a different prefix, so the sample hardly ever includes them.
      estimate(nativeCollection(deps.Delivery), 'referenceNumber', newReferenceNumber()),
      estimate(nativeCollection(deps.Order), 'number', newOrderNumber()),
    ])
    for (const part of parts.flat()) bytes.set(part._id, (bytes.get(part._id) ?? 0) + part.bytes)
    omit(businessStoredBytes)
    const largest = [...bytes].toSorted(([, a], [, b]) => b - a).slice(0, maxBusinesses)
    for (const [business, sum] of largest) businessStoredBytes.set({ business }, Math.round(sum))
  })
}

/** Estimates from a sample how many bytes each business uses in one collection. */
async function estimate<Doc extends mongo.Document>(
  collection: mongo.Collection<Doc>,
  field: string,
  start: string,
): Promise<Part[]> {
  const after = await sample(collection, field, { $gte: start }, sampleSize)
  const found = sum(after)
  const before = found < sampleSize ? await sample(collection, field, { $lt: start }, sampleSize - found) : []
  const parts = [...after, ...before]
  // A collection with fewer documents than the sample has been read completely.
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

const dailyQuotas = ['liveDocuments', 'liveBytes', 'sandboxBytes', 'sandboxCreates'] as const satisfies QuotaName[]

/**
 * Creates the figure that reports the businesses closest to their quotas. The figure covers only businesses that used a
 * quota through this process.
 */
export function fullestBusinesses({ liveCodes, counters, metrics: { gauges } }: Deps): Figure {
  const gauge = gauges.businessQuotaUsed
  return figureOf([gauge], minuteMs, async () => {
    const fullest = await Promise.all([
      liveCodes.fullest(maxBusinesses),
      ...dailyQuotas.map((name) => counters.fullest(name, maxBusinesses)),
    ])
    omit(gauge)
    for (const [index, quota] of ['liveCodes', ...dailyQuotas].entries())
      for (const { owner: business, used, limit } of fullest[index] ?? []) gauge.set({ business, quota }, used / limit)
  })
}
