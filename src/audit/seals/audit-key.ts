import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto'
import { isDuplicate, nativeCollection } from '../../mongo/collection.ts'
import type { Models } from '../../mongo/models.ts'
import type { Secrets } from '../../security/seal.ts'
import { auditKeys } from './seal.ts'

type KeyDeps = Pick<Models, 'AuditKey'> & { secrets: Secrets }

const field = { collection: auditKeys.name, id: 'current', field: 'key' }
const keyBytes = 32

/**
 * Returns the audit key, or null if it has not been created yet. Throws if it was sealed with a SECRET_KEY that is not
 * configured.
 */
export async function findAuditKey({ AuditKey, secrets }: KeyDeps): Promise<KeyObject | null> {
  const found = await nativeCollection(AuditKey).findOne({ _id: 'current' })
  return found === null ? null : createSecretKey(Buffer.from(secrets.unseal(found.key, field), 'base64'))
}

/** Creates the audit key. If another process creates it at the same time, both use the key that was stored first. */
export async function createAuditKey(deps: KeyDeps): Promise<void> {
  const key = deps.secrets.seal(randomBytes(keyBytes).toString('base64'), field)
  try {
    await nativeCollection(deps.AuditKey).insertOne({ _id: 'current', key })
  } catch (error) {
    if (!isDuplicate(error)) throw error
  }
}

/** Re-seals the audit key with the current SECRET_KEY. Returns how many keys were re-sealed, and how many cannot be. */
export async function resealAuditKey({
  AuditKey,
  secrets,
}: KeyDeps): Promise<{ resealed: number; unreadable: number }> {
  const keys = nativeCollection(AuditKey)
  const found = await keys.findOne({ _id: 'current' })
  if (found === null) return { resealed: 0, unreadable: 0 }
  try {
    const key = secrets.reseal(found.key, field)
    if (key === found.key) return { resealed: 0, unreadable: 0 }
    const { modifiedCount } = await keys.updateOne({ _id: 'current', key: found.key }, { $set: { key } })
    return { resealed: modifiedCount, unreadable: 0 }
  } catch {
    return { resealed: 0, unreadable: 1 }
  }
}
