import { randomBytes } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { mongo } from 'mongoose'
import { rawCollection } from '../../mongo/collection.ts'
import { runInBatches } from '../../mongo/in-batches.ts'
import type { Deps } from '../../platform/deps.ts'
import { orNull } from '../../platform/or-null.ts'
import type { EncryptedField, Encrypter } from '../../security/encrypt.ts'
import { type Endpoint, endpoints } from './endpoint.ts'

/** Returns 64 hex characters (SPEC 2.2). */
export const newSecret = (): string => randomBytes(32).toString('hex')

/** Standard Webhooks libraries expect `standardSecret`. */
export const presentSecret = (secret: string): { secret: string; standardSecret: string } => ({
  secret,
  standardSecret: `whsec_${Buffer.from(secret, 'hex').toString('base64')}`,
})

/** Old secrets too, because a rotation copies their ciphertext unchanged. */
export const signingSecretField = (endpointId: string): EncryptedField => ({
  collection: endpoints.name,
  id: endpointId,
  field: 'secret',
})

/** Returns the current secret first, then the old ones that are still valid. */
export function decryptSecrets(
  secrets: Pick<Encrypter, 'decrypt'>,
  endpoint: Pick<Endpoint, '_id' | 'secret' | 'previousSecrets'>,
  now: Date,
): [current: string, ...previous: string[]] {
  const valid = endpoint.previousSecrets.filter(({ validUntil }) => validUntil > now)
  const field = signingSecretField(endpoint._id)
  // After a SECRET_KEY is lost, a rotation must make attempts work again.
  const previous = valid.flatMap(({ secret }) => orNull(() => secrets.decrypt(secret, field)) ?? [])
  return [secrets.decrypt(endpoint.secret, field), ...previous]
}

export type CustomHeaders = Record<string, string>

const headersField = (endpointId: string): EncryptedField => ({
  collection: endpoints.name,
  id: endpointId,
  field: 'headers',
})

export function encryptHeaders(
  secrets: Pick<Encrypter, 'encrypt'>,
  endpointId: string,
  headers: CustomHeaders,
): Pick<Endpoint, 'headers'> {
  const names = Object.keys(headers)
  if (names.length === 0) return {}
  const encrypted = secrets.encrypt(JSON.stringify(headers), headersField(endpointId))
  return { headers: { names, encrypted } }
}

export const decryptHeaders = (
  secrets: Pick<Encrypter, 'decrypt'>,
  { _id, headers }: Pick<Endpoint, '_id' | 'headers'>,
): CustomHeaders =>
  headers === undefined ? {} : JSON.parse(secrets.decrypt(headers.encrypted, headersField(_id)))

type Needs = Pick<Deps, 'Endpoint' | 'secrets' | 'now'>
type Encrypted = Pick<Endpoint, '_id' | 'secret' | 'previousSecrets' | 'headers' | 'deletedAt'>

/** `unreadable`: endpoints encrypted with a key that isn't configured. */
type ReencryptedSecrets = { reencrypted: number; unreadable: string[] }

export async function reencryptSecrets(
  deps: Needs,
  advance: (count: number) => void,
): Promise<ReencryptedSecrets> {
  const result: ReencryptedSecrets = { reencrypted: 0, unreadable: [] }
  const endpointIds = rawCollection(deps.Endpoint).find(
    {},
    { projection: { _id: 1 }, sort: { _id: 1 }, batchSize: 250 },
  )
  await runInBatches(endpointIds, async (batch) => {
    const ids = batch.map(({ _id }) => _id)
    await reencryptBatch(deps, result, ids)
    advance(batch.length)
  })
  return result
}

/** A rotation between the read and the write makes another round necessary. */
async function reencryptBatch(deps: Needs, result: ReencryptedSecrets, ids: string[]): Promise<void> {
  const collection = rawCollection(deps.Endpoint)
  const projection = { secret: 1, previousSecrets: 1, headers: 1, deletedAt: 1 } as const
  for (;;) {
    const found = await collection.find<Encrypted>({ _id: { $in: ids } }, { projection }).toArray()
    const writes = found.flatMap((endpoint) => reencryptOne(deps.secrets, endpoint) ?? [])
    if (writes.length === 0) {
      for (const endpoint of found) if (!canSend(deps, endpoint)) result.unreadable.push(endpoint._id)
      return
    }
    result.reencrypted += (await collection.bulkWrite(writes, { ordered: false })).modifiedCount
  }
}

/** The filter contains what was read, so this can't undo a change. */
function reencryptOne(secrets: Encrypter, { _id, secret, previousSecrets, headers }: Encrypted) {
  const reencryptOrKeep = (encrypted: string, field = signingSecretField(_id)): string =>
    reencryptOrNull(secrets, encrypted, field) ?? encrypted
  const read = { secret, previousSecrets, ...(headers && { headers }) }
  const reencrypted = {
    secret: reencryptOrKeep(secret),
    previousSecrets: previousSecrets.map((each) => ({ ...each, secret: reencryptOrKeep(each.secret) })),
    ...(headers && {
      headers: { ...headers, encrypted: reencryptOrKeep(headers.encrypted, headersField(_id)) },
    }),
  }
  if (isDeepStrictEqual(reencrypted, read)) return null
  return {
    updateOne: { filter: { _id, ...read }, update: { $set: reencrypted } },
  } satisfies mongo.AnyBulkWriteOperation<Endpoint>
}

const reencryptOrNull = (secrets: Encrypter, encrypted: string, field: EncryptedField): string | null =>
  orNull(() => secrets.reencrypt(encrypted, field))

/** Considers only what attempts need. */
function canSend({ secrets, now }: Needs, endpoint: Encrypted): boolean {
  const { _id, secret, previousSecrets, headers, deletedAt } = endpoint
  const at = now()
  const signing = previousSecrets.filter(({ validUntil }) => validUntil > at).map((each) => each.secret)
  const isReadable = (encrypted: string, field = signingSecretField(_id)): boolean =>
    reencryptOrNull(secrets, encrypted, field) !== null
  return (
    deletedAt !== null ||
    ([secret, ...signing].every((each) => isReadable(each)) &&
      (headers === undefined || isReadable(headers.encrypted, headersField(_id))))
  )
}
