import { openModels } from '../../src/context/models.ts'
import { connectMongo } from '../../src/mongo/connect.ts'
import type { Log } from '../../src/platform/log.ts'
import type { EncryptedField, Encrypter } from '../../src/security/encrypt.ts'
import type { Endpoint as StoredEndpoint } from '../../src/webhooks/endpoints/endpoint.ts'
import { signingSecretField } from '../../src/webhooks/endpoints/stored-secrets.ts'

/** For a person who compares it with what they expect. */
export interface DatabaseSummary {
  /** Counted one by one, because MongoDB's own counts may be wrong after copying a running server. */
  counts: Record<string, number>
  newestIntentAt: string | null
  /** Active endpoints whose current secret none of the given keys opens. */
  endpointsNotOpened: number
  /** Whether the given keys open every encrypted secret. Null if there is none. */
  keyOpens: boolean | null
}

export async function readSummary(
  mongodbUrl: string,
  secrets: Pick<Encrypter, 'decrypt'>,
  log: Log,
): Promise<DatabaseSummary> {
  const now = new Date()
  // A count may take longer than a request's timeout.
  const mongo = await connectMongo({ mongodbUrl, mongodbCa: null }, log, { socketTimeoutMS: 0 })
  try {
    const { Intent, Endpoint, ...others } = openModels(mongo)
    const counts: Record<string, number> = {}
    for (const model of [Intent, Endpoint, ...Object.values(others)])
      counts[model.collection.collectionName] = await model.collection.countDocuments()
    // An `_id` begins with its creation time, so this needs no other index.
    const newest = await Intent.findOne({}, { createdAt: 1 }).sort({ _id: -1 }).lean()
    // A business has at most five endpoints, so the list fits into memory.
    const signing = await Endpoint.find({ deletedAt: null }, { secret: 1, previousSecrets: 1 }).lean<
      StoredEndpoint[]
    >()
    const encryptedIn = ({ secret, previousSecrets }: Pick<StoredEndpoint, 'secret' | 'previousSecrets'>) => [
      secret,
      // A replaced secret signs for one more day.
      ...previousSecrets.filter(({ validUntil }) => validUntil > now).map((previous) => previous.secret),
    ]
    const endpointsNotOpened = signing.filter(
      (endpoint) =>
        !encryptedIn(endpoint).every((encrypted) =>
          opens(secrets, encrypted, signingSecretField(endpoint._id)),
        ),
    ).length
    return {
      counts,
      newestIntentAt: newest?.createdAt.toISOString() ?? null,
      endpointsNotOpened,
      keyOpens: signing.length === 0 ? null : endpointsNotOpened === 0,
    }
  } finally {
    await mongo.destroy()
  }
}

function opens(secrets: Pick<Encrypter, 'decrypt'>, encrypted: string, field: EncryptedField): boolean {
  try {
    secrets.decrypt(encrypted, field)
    return true
  } catch {
    return false
  }
}
