import { connectMongo } from '../../src/mongo/connect.ts'
import { openModels } from '../../src/mongo/models.ts'
import type { Log } from '../../src/process/log.ts'
import type { SealedField, Secrets } from '../../src/security/seal.ts'
import type { Endpoint as StoredEndpoint } from '../../src/webhooks/endpoints/endpoint.ts'
import { secretField } from '../../src/webhooks/endpoints/signing-secrets.ts'

/** What is in a database, for a person who compares it with what should be. */
export interface Books {
  /** Documents by collection, counted one by one: after a copy of a running server MongoDB's own figures may be off. */
  counts: Record<string, number>
  /** When the youngest intent was created; null: there is none. */
  newestIntentAt: string | null
  /** Endpoints, deleted ones apart, with a secret that signs and that none of the given keys opens. */
  endpointsNotOpened: number
  /** Whether the keys that were given open all that is sealed; null: nothing is. */
  keyOpens: boolean | null
}

export async function readBooks(
  mongodbUrl: string,
  secrets: Pick<Secrets, 'unseal'>,
  log: Log,
): Promise<Books> {
  const now = new Date()
  // Counting takes longer than a request may.
  const mongo = await connectMongo(mongodbUrl, log, { socketTimeoutMS: 0 })
  try {
    const { Intent, Endpoint, ...others } = openModels(mongo)
    const counts: Record<string, number> = {}
    for (const model of [Intent, Endpoint, ...Object.values(others)])
      counts[model.collection.collectionName] = await model.collection.countDocuments()
    // An `_id` begins with its time, and so needs no index of its own.
    const newest = await Intent.findOne({}, { createdAt: 1 }).sort({ _id: -1 }).lean()
    // At most five of a business.
    const signing = await Endpoint.find({ deletedAt: null }, { secret: 1, previousSecrets: 1 }).lean<
      StoredEndpoint[]
    >()
    const sealedIn = ({ secret, previousSecrets }: Pick<StoredEndpoint, 'secret' | 'previousSecrets'>) => [
      secret,
      // What a rotation replaced signs for a day more.
      ...previousSecrets.filter(({ validUntil }) => validUntil > now).map((previous) => previous.secret),
    ]
    const endpointsNotOpened = signing.filter(
      (endpoint) => !sealedIn(endpoint).every((sealed) => opens(secrets, sealed, secretField(endpoint._id))),
    ).length
    return {
      counts,
      newestIntentAt: newest?.createdAt.toISOString() ?? null,
      endpointsNotOpened,
      keyOpens: signing.length === 0 ? null : endpointsNotOpened === 0,
    }
  } finally {
    await mongo.close()
  }
}

function opens(secrets: Pick<Secrets, 'unseal'>, sealed: string, field: SealedField): boolean {
  try {
    secrets.unseal(sealed, field)
    return true
  } catch {
    return false
  }
}
