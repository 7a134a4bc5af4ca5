import { randomBytes } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { mongo } from 'mongoose'
import { nativeCollection } from '../../mongo/collection.ts'
import { inBatches } from '../../mongo/in-batches.ts'
import type { Deps } from '../../platform/deps.ts'
import type { EncryptedField, Secrets } from '../../security/encrypt.ts'
import { type Endpoint, endpoints } from './endpoint.ts'

/** Returns a random secret of 64 hex characters (SPEC 2.2). */
export const newSecret = (): string => randomBytes(32).toString('hex')

/**
 * Returns the fields with which a response shows a secret. `standardSecret` encodes the same 32 bytes in the form that
 * the libraries of Standard Webhooks expect.
 */
export const presentSecret = (secret: string): { secret: string; standardSecret: string } => ({
  secret,
  standardSecret: `whsec_${Buffer.from(secret, 'hex').toString('base64')}`,
})

/**
 * Returns the field for which all of an endpoint's secrets are sealed. Replaced secrets are also sealed for this field,
 * because a rotation moves the sealed secret to `previousSecrets` without unsealing it.
 */
export const secretField = (endpointId: string): EncryptedField => ({
  collection: endpoints.name,
  id: endpointId,
  field: 'secret',
})

/**
 * Returns the secrets with which an attempt at `now` must be signed. The current secret comes first, followed by the
 * replaced secrets that are still valid, from the newest to the oldest.
 */
export function signingSecrets(
  secrets: Pick<Secrets, 'decrypt'>,
  endpoint: Pick<Endpoint, '_id' | 'secret' | 'previousSecrets'>,
  now: Date,
): [current: string, ...previous: string[]] {
  const valid = endpoint.previousSecrets.filter(({ validUntil }) => validUntil > now)
  const field = secretField(endpoint._id)
  const previous = valid.flatMap(({ secret }) => decrypted(secrets, secret, field) ?? [])
  return [secrets.decrypt(endpoint.secret, field), ...previous]
}

/**
 * Unseals a replaced secret. Returns null if the SECRET_KEY that sealed the secret has been lost. If this function
 * threw an error instead, attempts at the endpoint would continue to fail even after its secret had been rotated.
 */
function decrypted(
  secrets: Pick<Secrets, 'decrypt'>,
  encrypted: string,
  field: EncryptedField,
): string | null {
  try {
    return secrets.decrypt(encrypted, field)
  } catch {
    return null
  }
}

type Needs = Pick<Deps, 'Endpoint' | 'secrets' | 'now'>
type Encrypted = Pick<Endpoint, '_id' | 'secret' | 'previousSecrets' | 'deletedAt'>

/**
 * `reencrypted` is the number of updated endpoints. `unreadable` contains the ids of the endpoints that still use a
 * secret sealed under a key that is not configured.
 */
export interface ReencryptedSecrets {
  reencrypted: number
  unreadable: string[]
}

/**
 * Re-seals all secrets of all endpoints with the current SECRET_KEY. After each batch, calls `advance` with the number
 * of endpoints in the batch.
 */
export async function reencryptSecrets(
  deps: Needs,
  advance: (count: number) => void,
): Promise<ReencryptedSecrets> {
  const result: ReencryptedSecrets = { reencrypted: 0, unreadable: [] }
  const endpointIds = nativeCollection(deps.Endpoint).find(
    {},
    { projection: { _id: 1 }, sort: { _id: 1 }, batchSize: 250 },
  )
  await inBatches(endpointIds, async (batch) => {
    const ids = batch.map(({ _id }) => _id)
    await reencryptBatch(deps, result, ids)
    advance(batch.length)
  })
  return result
}

/**
 * Re-seals the secrets of a batch of endpoints. Repeats the read and the write until there are no secrets left to
 * re-seal, because a rotation may change an endpoint between the read and the write.
 */
async function reencryptBatch(deps: Needs, result: ReencryptedSecrets, ids: string[]): Promise<void> {
  const collection = nativeCollection(deps.Endpoint)
  const projection = { secret: 1, previousSecrets: 1, deletedAt: 1 } as const
  for (;;) {
    const found = await collection.find<Encrypted>({ _id: { $in: ids } }, { projection }).toArray()
    const writes = found.flatMap((endpoint) => reencryptOne(deps.secrets, endpoint) ?? [])
    if (writes.length === 0) {
      for (const endpoint of found) if (!canSign(deps, endpoint)) result.unreadable.push(endpoint._id)
      return
    }
    result.reencrypted += (await collection.bulkWrite(writes, { ordered: false })).modifiedCount
  }
}

/**
 * Returns a write that re-seals all of an endpoint's secrets, or null if none of the secrets would change. The filter
 * contains the secrets that were read, so that the write does not undo a concurrent rotation.
 */
function reencryptOne(secrets: Secrets, { _id, secret, previousSecrets }: Encrypted) {
  const reencryptOrKeep = (encrypted: string): string => reencryptOrNull(secrets, _id, encrypted) ?? encrypted
  const reencrypted = {
    secret: reencryptOrKeep(secret),
    previousSecrets: previousSecrets.map((each) => ({ ...each, secret: reencryptOrKeep(each.secret) })),
  }
  if (isDeepStrictEqual(reencrypted, { secret, previousSecrets })) return null
  const filter = { _id, secret, previousSecrets }
  return {
    updateOne: { filter, update: { $set: reencrypted } },
  } satisfies mongo.AnyBulkWriteOperation<Endpoint>
}

function reencryptOrNull(secrets: Secrets, id: string, encrypted: string): string | null {
  try {
    return secrets.reencrypt(encrypted, secretField(id))
  } catch {
    return null
  }
}

/**
 * Whether all of an endpoint's signing secrets can be unsealed. Expired secrets and the secrets of deleted endpoints
 * are ignored, because they are no longer used for signing.
 */
function canSign({ secrets, now }: Needs, { _id, secret, previousSecrets, deletedAt }: Encrypted): boolean {
  const at = now()
  const signing = previousSecrets.filter(({ validUntil }) => validUntil > at).map((each) => each.secret)
  return (
    deletedAt !== null || [secret, ...signing].every((each) => reencryptOrNull(secrets, _id, each) !== null)
  )
}
