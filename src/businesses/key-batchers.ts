import type { Model } from 'mongoose'
import { backgroundRestMs, createBatcher, createByIdBatcher, createReadBatcher } from '../mongo/batchers.ts'
import { rawCollection } from '../mongo/collection.ts'
import type { Models } from '../platform/deps.ts'
import { unavailable } from '../platform/errors.ts'
import { toUtcDay } from '../platform/time.ts'
import { succeedsWithin, withTimeout } from '../platform/timeout.ts'
import type { Encrypter } from '../security/encrypt.ts'
import type { ApiKey, KeySecret } from './api-key.ts'
import type { Business } from './business.ts'

interface KeyAndBusiness extends ApiKey {
  business: Pick<Business, 'liveApproved' | 'apiEnabled' | 'suspended' | 'limits' | 'commission'>
}

export const openBusinessBatchers = ({ ApiKey, Business }: Pick<Models, 'ApiKey' | 'Business'>) => ({
  /** Not cached, so that revoking a key takes effect at once. */
  findKey: createReadBatcher(
    (hashes) =>
      rawCollection(ApiKey)
        .aggregate<KeyAndBusiness>([
          { $match: { 'secrets.hash': { $in: hashes } } },
          { $lookup: { from: 'businesses', localField: 'businessId', foreignField: '_id', as: 'business' } },
          { $set: { business: { $first: '$business' } } },
        ])
        .toArray(),
    (key) => key.secrets.map((secret) => secret.hash),
  ),
  findBusiness: createByIdBatcher<Business, Pick<Business, '_id' | 'suspended'>>(Business, { suspended: 1 }),
  noteOnKey: createKeyNoteBatcher(ApiKey),
})

/** No request waits for this. If it fails, the key's next use repeats it. */
interface KeyNote {
  name: string
  filter: { _id: string; [field: string]: unknown }
  set: Record<string, unknown>
}

type NoteDeps = { batchers: { noteOnKey: ReturnType<typeof createKeyNoteBatcher> }; now(): Date }

/** This many entries take up about 10 MB. */
const maxRemembered = 50_000
/** A batch usually takes a few milliseconds. */
const longestMs = 1000

/** If a dead process still has a key locked, notes are written one by one. */
export function createKeyNoteBatcher(ApiKey: Model<ApiKey>) {
  const keys = rawCollection(ApiKey)
  const write = createBatcher<KeyNote, void>(
    500,
    async (notes) => {
      const writes = notes.map(({ filter, set }) => ({ updateOne: { filter, update: { $set: set } } }))
      const together = keys.bulkWrite(writes, { ordered: false })
      const result = await withTimeout(together, longestMs, () => null)
      if (result !== null) return notes.map(() => undefined)
      const alone = async ({ filter, set }: KeyNote): Promise<undefined | Error> =>
        (await succeedsWithin(keys.updateOne(filter, { $set: set }), longestMs)) ? undefined : unavailable()
      return Promise.all(notes.map(alone))
    },
    backgroundRestMs,
  )
  const written = new Set<string>()
  return async (note: KeyNote, deadlineAt: number): Promise<void> => {
    if (written.has(note.name)) return
    if (written.size >= maxRemembered) written.clear()
    written.add(note.name)
    try {
      await write(note, deadlineAt)
    } catch (error) {
      written.delete(note.name)
      throw error
    }
  }
}

/** Every identified request is a use, even one that is rejected later. */
export function recordKeyUse(
  { batchers, now }: NoteDeps,
  { _id, lastUsedDay }: Pick<ApiKey, '_id' | 'lastUsedDay'>,
  deadlineAt: number,
): void {
  const day = toUtcDay(now())
  if (lastUsedDay !== null && lastUsedDay >= day) return
  // A process whose clock is behind mustn't set an earlier day.
  const filter = { _id, lastUsedDay: { $not: { $gte: day } } }
  const note = { name: `${_id} ${day}`, filter, set: { lastUsedDay: day } }
  batchers.noteOnKey(note, deadlineAt).catch(() => undefined)
}

/** Keeps processes from undoing each other's rehashes in a rolling restart. */
const minAgeMs = 3_600_000

/** Once all keys are rehashed, operators can remove the old SECRET_KEY. */
export function rehashApiKey(
  { batchers, secrets, now }: NoteDeps & { secrets: Pick<Encrypter, 'keyIds'> },
  { keyId, secret, hash }: { keyId: string; secret: KeySecret; hash: string },
  deadlineAt: number,
): void {
  const [pepper] = secrets.keyIds
  const at = now()
  if (secret.pepper === pepper) return
  if (secret.rehashedAt !== undefined && at.getTime() - secret.rehashedAt.getTime() < minAgeMs) return
  const note = rehashNote({ keyId, from: secret.hash, to: hash, pepper, at })
  batchers.noteOnKey(note, deadlineAt).catch(() => undefined)
}

type Rehash = Record<'keyId' | 'from' | 'to' | 'pepper', string> & { at: Date }

/** Has no effect if the secret is gone or already rehashed. */
export const rehashNote = ({ keyId, from, to, pepper, at }: Rehash): KeyNote => ({
  name: `${from} ${Math.floor(at.getTime() / minAgeMs)}`,
  filter: { _id: keyId, 'secrets.hash': from },
  set: { 'secrets.$.hash': to, 'secrets.$.pepper': pepper, 'secrets.$.rehashedAt': at },
})
