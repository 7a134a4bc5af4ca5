import type { Model, mongo } from 'mongoose'
import type { Deps } from '../deps.ts'
import { nativeCollection } from '../mongo/collection.ts'
import { inBatches } from '../mongo/in-batches.ts'
import { lifetimeMs, removalMs, responseField } from './claim.ts'

/** A document that may store a sealed first response: a claim or an endpoint. */
interface WithResponse {
  _id: string
  sealedResponse?: string
}

/** `unreadable` is the number of responses sealed with a key that is not configured. */
export interface Resealed {
  resealed: number
  unreadable: number
}

type Needs = Pick<Deps, 'Claim' | 'Endpoint' | 'secrets' | 'now'>

/**
 * Uses the current SECRET_KEY to re-seal every stored response that a retry may still need. These responses are stored
 * in the claims that have not been removed yet and in the documents that the claims' requests created. Processes the
 * claims in chronological order, and passes the number of claims in each processed batch to `advance`.
 */
export async function resealResponses(deps: Needs, advance: (claims: number) => void): Promise<Resealed> {
  const result = { resealed: 0, unreadable: 0 }
  const now = deps.now()
  // The responses to requests that arrive after the start of this run are already sealed with the current key. If the
  // claims of these requests were included, the run might never end.
  const latest = new Date(now.getTime() + lifetimeMs + removalMs)
  const stored = nativeCollection(deps.Claim).find(
    { removeAt: { $gt: now, $lte: latest } },
    { projection: { sealedResponse: 1, effectId: 1 }, sort: { removeAt: 1 }, batchSize: 250 },
  )
  const created = collectionOf(deps.Endpoint)
  await inBatches(stored, async (claims) => {
    await reseal(deps, result, collectionOf(deps.Claim), claims)
    const effectIds = claims.flatMap(({ sealedResponse, effectId }) => (sealedResponse === undefined ? effectId : []))
    await reseal(deps, result, created, await createdUnder(created, effectIds))
    advance(claims.length)
  })
  return result
}

const collectionOf = (model: unknown): mongo.Collection<WithResponse> => nativeCollection(model as Model<WithResponse>)

/** Returns the documents that were created under these effect ids and that store a response. */
const createdUnder = (collection: mongo.Collection<WithResponse>, effectIds: string[]): Promise<WithResponse[]> =>
  collection
    .find({ _id: { $in: effectIds }, sealedResponse: { $exists: true } }, { projection: { sealedResponse: 1 } })
    .toArray()

/**
 * Re-seals a response only if it has not changed since it was read. Otherwise, this write would undo a concurrent
 * update or removal of the response.
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
