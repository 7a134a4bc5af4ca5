import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto'
import type { Model } from 'mongoose'
import { rawCollection } from '../mongo/collection.ts'
import { declareCollection, type Stored } from '../mongo/declare.ts'
import { oneOf, optional, secret, text, whole } from '../mongo/fields.ts'
import type { EncryptedField, Encrypter } from './encrypt.ts'

/** These keys don't change when SECRET_KEY is rotated. */
export const serviceKeys = declareCollection({
  name: 'servicekeys',
  kept: 'forever',
  fields: {
    _id: oneOf<'audit' | 'shortCodes'>(),
    key: secret(text),
    /** Number of used-up short codes. A backup must contain it. */
    used: optional(whole),
  },
  indexes: [],
})
export type ServiceKey = Stored<typeof serviceKeys>

export type ServiceKeyDeps = { ServiceKey: Model<ServiceKey>; secrets: Encrypter }

type Id = ServiceKey['_id']

const fieldOf = (id: Id): EncryptedField => ({ collection: serviceKeys.name, id, field: 'key' })

export async function findServiceKey({ ServiceKey, secrets }: ServiceKeyDeps, id: Id) {
  const found = await rawCollection(ServiceKey).findOne({ _id: id })
  return found && open(secrets, found)
}

/** Concurrent processes all get the key that was stored first. */
export async function ensureServiceKey({ ServiceKey, secrets }: ServiceKeyDeps, id: Id): Promise<KeyObject> {
  const key = secrets.encrypt(randomBytes(32).toString('base64'), fieldOf(id))
  const stored = await rawCollection(ServiceKey).findOneAndUpdate(
    { _id: id },
    { $setOnInsert: { key } },
    { upsert: true, returnDocument: 'after' },
  )
  return open(secrets, stored as ServiceKey)
}

const open = (secrets: Encrypter, { _id, key }: ServiceKey): KeyObject =>
  createSecretKey(Buffer.from(secrets.decrypt(key, fieldOf(_id)), 'base64'))
