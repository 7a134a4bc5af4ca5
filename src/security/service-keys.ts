import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto'
import type { Model } from 'mongoose'
import { nativeCollection } from '../mongo/collection.ts'
import { collection, type Stored } from '../mongo/declare.ts'
import { oneOf, optional, secret, text, whole } from '../mongo/fields.ts'
import type { SealedField, Secrets } from './seal.ts'

/**
 * A random key of the service itself, sealed with SECRET_KEY. It stays the same when SECRET_KEY is rotated. `audit`
 * computes the digests of the audit trail, and `shortCodes` makes short codes unpredictable.
 */
export const serviceKeys = collection({
  name: 'servicekeys',
  kept: 'forever',
  fields: {
    _id: oneOf<'audit' | 'shortCodes'>(),
    key: secret(text),
    /** How many short codes are used up. It is stored with their key, so that a backup contains both. */
    used: optional(whole),
  },
  indexes: [],
})
export type ServiceKey = Stored<typeof serviceKeys>

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
  return found && open(secrets, found)
}

/**
 * Returns the key, and creates it if it is missing. If several processes do so at the same time, all of them get the
 * key that was stored first. Throws if the key is sealed with a SECRET_KEY that is not configured.
 */
export async function ensureServiceKey({ ServiceKey, secrets }: ServiceKeyDeps, id: Id): Promise<KeyObject> {
  const key = secrets.seal(randomBytes(keyBytes).toString('base64'), fieldOf(id))
  const stored = await nativeCollection(ServiceKey).findOneAndUpdate(
    { _id: id },
    { $setOnInsert: { key } },
    { upsert: true, returnDocument: 'after' },
  )
  // An upsert that returns the document afterwards always returns one.
  return open(secrets, stored as ServiceKey)
}

const open = (secrets: Secrets, { _id, key }: ServiceKey): KeyObject =>
  createSecretKey(Buffer.from(secrets.unseal(key, fieldOf(_id)), 'base64'))
