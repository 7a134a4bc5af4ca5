import type { Model, mongo } from 'mongoose'
import type { Deps } from '../deps.ts'
import { nativeCollection } from '../mongo/collection.ts'
import { inBatches } from '../mongo/in-batches.ts'
import { lifetimeMs, removalMs, responseField } from './claim.ts'

/** A document with a sealed first response: a claim, a product or an endpoint. */
interface Answered {
  _id: string
  sealedResponse?: string
}

/** How many were sealed anew, and how many are sealed with a key that is not configured. */
export interface Resealed {
  resealed: number
  unreadable: number
}

type Needs = Pick<Deps, 'Claim' | 'Product' | 'Endpoint' | 'secrets' | 'now'>

/**
 * Seals every stored answer that a retry may still ask for with the current SECRET_KEY: that of each claim whose time is not up, or of what
 * its create made. Older ones need nothing: nobody looks them up any more. Goes by time, and tells `advance` of the claims it is through with.
 */
export async function resealResponses(deps: Needs, advance: (claims: number) => void): Promise<Resealed> {
  const tally = { resealed: 0, unreadable: 0 }
  const now = deps.now()
  // What is claimed from here on is sealed with the current key, and would never let this come to an end.
  const latest = new Date(now.getTime() + lifetimeMs + removalMs)
  const alive = nativeCollection(deps.Claim).find(
    { removeAt: { $gt: now, $lte: latest } },
    { projection: { sealedResponse: 1, effectId: 1 }, sort: { removeAt: 1 }, batchSize: 250 },
  )
  const made = [deps.Product, deps.Endpoint].map(answersIn)
  await inBatches(alive, async (claims) => {
    await reseal(deps, tally, answersIn(deps.Claim), claims)
    const effectIds = claims.flatMap(({ sealedResponse, effectId }) =>
      sealedResponse === undefined ? effectId : [],
    )
    for (const collection of made) await reseal(deps, tally, collection, await madeBy(collection, effectIds))
    advance(claims.length)
  })
  return tally
}

const answersIn = (model: unknown): mongo.Collection<Answered> => nativeCollection(model as Model<Answered>)

/** What creates made under these effect ids, with its answer. */
const madeBy = (collection: mongo.Collection<Answered>, effectIds: string[]): Promise<Answered[]> =>
  collection
    .find(
      { _id: { $in: effectIds }, sealedResponse: { $exists: true } },
      { projection: { sealedResponse: 1 } },
    )
    .toArray()

/** Each under its own guard: what somebody else wrote or took away meanwhile stays so. */
async function reseal(
  { secrets }: Needs,
  tally: Resealed,
  collection: mongo.Collection<Answered>,
  docs: Answered[],
): Promise<void> {
  const writes: mongo.AnyBulkWriteOperation<Answered>[] = []
  for (const { _id, sealedResponse } of docs) {
    if (sealedResponse === undefined) continue
    try {
      const anew = secrets.reseal(sealedResponse, responseField(collection.collectionName, _id))
      if (anew !== sealedResponse)
        writes.push({
          updateOne: { filter: { _id, sealedResponse }, update: { $set: { sealedResponse: anew } } },
        })
    } catch {
      tally.unreadable += 1
    }
  }
  if (writes.length === 0) return
  tally.resealed += (await collection.bulkWrite(writes, { ordered: false })).modifiedCount
}
