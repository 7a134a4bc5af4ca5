import type { mongo } from 'mongoose'
import type { Deps } from '../../deps.ts'
import { nativeCollection } from '../../mongo/collection.ts'
import { inBatches } from '../../mongo/in-batches.ts'
import type { Secrets } from '../../security/seal.ts'
import type { Endpoint } from './endpoint.ts'
import { secretField } from './signing-secrets.ts'

type Needs = Pick<Deps, 'Endpoint' | 'secrets' | 'now'>
type Sealed = Pick<Endpoint, '_id' | 'secret' | 'previousSecrets' | 'deletedAt'>

/** `resealed`: how many endpoints were written. `unreadable`: ids of endpoints with a signing secret whose key is not configured. */
export interface ResealedSecrets {
  resealed: number
  unreadable: string[]
}

/** Seals all secrets of all endpoints with the current SECRET_KEY. Calls `advance` after each batch of endpoints. */
export async function resealSecrets(
  deps: Needs,
  advance: (endpoints: number) => void,
): Promise<ResealedSecrets> {
  const tally: ResealedSecrets = { resealed: 0, unreadable: [] }
  const all = nativeCollection(deps.Endpoint).find(
    {},
    { projection: { _id: 1 }, sort: { _id: 1 }, batchSize: 250 },
  )
  await inBatches(all, async (endpoints) => {
    await resealSome(
      deps,
      tally,
      endpoints.map(({ _id }) => _id),
    )
    advance(endpoints.length)
  })
  return tally
}

/** Reads again after each write, because a rotation may have changed an endpoint between the read and the write. */
async function resealSome(deps: Needs, tally: ResealedSecrets, ids: string[]): Promise<void> {
  const collection = nativeCollection(deps.Endpoint)
  const projection = { secret: 1, previousSecrets: 1, deletedAt: 1 } as const
  for (;;) {
    const found = await collection.find<Sealed>({ _id: { $in: ids } }, { projection }).toArray()
    const writes = found.flatMap((endpoint) => resealOne(deps.secrets, endpoint) ?? [])
    if (writes.length === 0) {
      for (const endpoint of found) if (!canSign(deps, endpoint)) tally.unreadable.push(endpoint._id)
      return
    }
    tally.resealed += (await collection.bulkWrite(writes, { ordered: false })).modifiedCount
  }
}

/** Returns a write of all secrets of an endpoint, guarded by the secrets that were read, or null if nothing changes. */
function resealOne(secrets: Secrets, { _id, secret, previousSecrets }: Sealed) {
  const anew = {
    secret: anewOrAsIs(secrets, _id, secret),
    previousSecrets: previousSecrets.map((each) => ({
      ...each,
      secret: anewOrAsIs(secrets, _id, each.secret),
    })),
  }
  const isSame =
    anew.secret === secret &&
    anew.previousSecrets.every((each, at) => each.secret === previousSecrets[at]?.secret)
  if (isSame) return null
  const filter = { _id, secret, previousSecrets }
  return { updateOne: { filter, update: { $set: anew } } } satisfies mongo.AnyBulkWriteOperation<Endpoint>
}

const isReadable = (secrets: Secrets, id: string, sealed: string): boolean =>
  anewOrNull(secrets, id, sealed) !== null
const anewOrAsIs = (secrets: Secrets, id: string, sealed: string): string =>
  anewOrNull(secrets, id, sealed) ?? sealed

function anewOrNull(secrets: Secrets, id: string, sealed: string): string | null {
  try {
    return secrets.reseal(sealed, secretField(id))
  } catch {
    return null
  }
}

/** Whether all signing secrets are readable. A deleted endpoint has none, and an expired previous secret does not sign. */
function canSign({ secrets, now }: Needs, { _id, secret, previousSecrets, deletedAt }: Sealed): boolean {
  const at = now()
  const signing = previousSecrets.filter(({ validUntil }) => validUntil > at).map((each) => each.secret)
  return deletedAt !== null || [secret, ...signing].every((each) => isReadable(secrets, _id, each))
}
