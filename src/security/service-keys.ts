import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto'
import type { Model } from 'mongoose'
import { unavailable } from '../errors.ts'
import { type Collection, isDuplicate, nativeCollection } from '../mongo/collection.ts'
import type { SealedField, Secrets } from './seal.ts'

/**
 * A random key of the service itself, sealed with SECRET_KEY. It stays the same when SECRET_KEY is rotated. `audit`
 * computes the digests of the audit trail, and `shortCodes` makes short codes unpredictable.
 */
export interface ServiceKey {
  _id: 'audit' | 'shortCodes'
  key: string
  /** How many short codes are used up. It stands beside their key so that a backup never has one without the other. */
  used?: number
}

export const serviceKeys: Collection = {
  name: 'servicekeys',
  fields: { _id: String, key: String, used: Number },
  indexes: [],
}

export interface ServiceKeyDeps {
  ServiceKey: Model<ServiceKey>
  secrets: Secrets
}

type Id = ServiceKey['_id']

const keyBytes = 32
const fieldOf = (id: Id): SealedField => ({ collection: serviceKeys.name, id, field: 'key' })

/** Returns null if the key has not been created. Throws if it is sealed with a SECRET_KEY that is not configured. */
export async function findServiceKey({ ServiceKey, secrets }: ServiceKeyDeps, id: Id): Promise<KeyObject | null> {
  const found = await nativeCollection(ServiceKey).findOne({ _id: id })
  return found && createSecretKey(Buffer.from(secrets.unseal(found.key, fieldOf(id)), 'base64'))
}

/** Creates a key. If several processes do so at the same time, all of them get the key that was stored first. */
export async function createServiceKey(deps: ServiceKeyDeps, id: Id): Promise<KeyObject> {
  const key = deps.secrets.seal(randomBytes(keyBytes).toString('base64'), fieldOf(id))
  try {
    await nativeCollection(deps.ServiceKey).insertOne({ _id: id, key })
  } catch (error) {
    if (!isDuplicate(error)) throw error
  }
  const stored = await findServiceKey(deps, id)
  if (stored === null) throw unavailable()
  return stored
}

/** Seals the keys again with the current SECRET_KEY. Returns how many were re-sealed, and how many cannot be. */
export async function resealServiceKeys({
  ServiceKey,
  secrets,
}: ServiceKeyDeps): Promise<{ resealed: number; unreadable: number }> {
  const keys = nativeCollection(ServiceKey)
  const result = { resealed: 0, unreadable: 0 }
  for await (const { _id, key } of keys.find()) {
    try {
      const resealed = secrets.reseal(key, fieldOf(_id))
      if (resealed === key) continue
      const { modifiedCount } = await keys.updateOne({ _id, key }, { $set: { key: resealed } })
      result.resealed += modifiedCount
    } catch {
      result.unreadable += 1
    }
  }
  return result
}
