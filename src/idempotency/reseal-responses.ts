import type { Model, mongo } from 'mongoose'
import type { Deps } from '../deps.ts'
import { nativeCollection } from '../mongo/collection.ts'
import { inBatches } from '../mongo/in-batches.ts'
import { lifetimeMs, removalMs, responseField } from './claim.ts'

/** A document with a sealed first response: a claim, a product or an endpoint. */
interface WithResponse {
  _id: string
  sealedResponse?: string
}

/** How many responses were re-sealed, and how many are sealed with a key that is not configured. */
export interface Resealed {
  resealed: number
  unreadable: number
}

type Needs = Pick<Deps, 'Claim' | 'Product' | 'Endpoint' | 'secrets' | 'now'>

/**
 * Re-seals with the current SECRET_KEY every stored response that a retry may still get: those in claims that have not
 * been removed, and those in the documents of their creates. Goes through the claims in order of time, and reports to
 * `advance` how many have been processed.
 */
export async function resealResponses(deps: Needs, advance: (claims: number) => void): Promise<Resealed> {
  const result = { resealed: 0, unreadable: 0 }
  const now = deps.now()
  // Later claims are sealed with the current key. Including them would make this loop endless.
  const latest = new Date(now.getTime() + lifetimeMs + removalMs)
  const stored = nativeCollection(deps.Claim).find(
    { removeAt: { $gt: now, $lte: latest } },
    { projection: { sealedResponse: 1, effectId: 1 }, sort: { removeAt: 1 }, batchSize: 250 },
  )
  const created = [deps.Product, deps.Endpoint].map(collectionOf)
  await inBatches(stored, async (claims) => {
    await reseal(deps, result, collectionOf(deps.Claim), claims)
    const effectIds = claims.flatMap(({ sealedResponse, effectId }) =>
      sealedResponse === undefined ? effectId : [],
    )
    for (const collection of created)
      await reseal(deps, result, collection, await createdUnder(collection, effectIds))
    advance(claims.length)
  })
  return result
}

const collectionOf = (model: unknown): mongo.Collection<WithResponse> =>
  nativeCollection(model as Model<WithResponse>)

/** The documents that creates inserted under these effect ids and that store a response. */
const createdUnder = (
  collection: mongo.Collection<WithResponse>,
  effectIds: string[],
): Promise<WithResponse[]> =>
  collection
    .find(
      { _id: { $in: effectIds }, sealedResponse: { $exists: true } },
      { projection: { sealedResponse: 1 } },
    )
    .toArray()

/**
 * Re-seals each document under its own guard, so that a concurrent change or removal of the response is not
 * overwritten.
 */
async function reseal(
  { secrets }: Needs,
  result: Resealed,
  collection: mongo.Collection<WithResponse>,
  docs: WithResponse[],
): Promise<void> {
  const writes: mongo.AnyBulkWriteOperation<WithResponse>[] = []
  for (const { _id, sealedResponse } of docs) {
    if (sealedResponse === undefined) continue
    try {
      const resealed = secrets.reseal(sealedResponse, responseField(collection.collectionName, _id))
      if (resealed !== sealedResponse)
        writes.push({
          updateOne: { filter: { _id, sealedResponse }, update: { $set: { sealedResponse: resealed } } },
        })
    } catch {
      result.unreadable += 1
    }
  }
  if (writes.length === 0) return
  result.resealed += (await collection.bulkWrite(writes, { ordered: false })).modifiedCount
}
