import type { Model } from 'mongoose'
import type { Caller } from '../businesses/caller.ts'
import type { Deps } from '../deps.ts'
import { refuse } from '../errors.ts'
import type { Batcher } from '../mongo/batching/batcher.ts'
import { createReadBatcher } from '../mongo/batching/read-batcher.ts'
import { pastMongoose } from '../mongo/collection.ts'
import type { Intent } from './intent.ts'

/**
 * The caller's own intent. INTENT_NOT_FOUND for an unknown reference, another business's, or a test that the clean-up is taking away;
 * SANDBOX_MISMATCH for one of the caller's other environment (SPEC 4.2).
 * Does not read the sealed response or the outbox. `until`: see mongo/batching/batcher.ts.
 */
export async function findIntent(
  deps: Pick<Deps, 'batchers'>,
  caller: Caller,
  referenceNumber: string,
  until: number,
): Promise<Intent> {
  return ownedBy(caller, await deps.batchers.findIntent(referenceNumber, until))
}

/**
 * An intent as read by a request that may change it. `refunds` is empty: an intent may have 1 000 refunds, and reading 1 MB takes 5 ms,
 * during which the process serves no other request.
 */
export interface IntentToChange extends Intent {
  /** The effect id of each refund. */
  refundEffects: string[]
  /** The size of the whole stored document, with its refunds. */
  bytes: number
}

/** As `findIntent`, for a request that may change the intent. */
export const findIntentToChange = async (
  deps: Pick<Deps, 'batchers'>,
  caller: Caller,
  referenceNumber: string,
  until: number,
): Promise<IntentToChange> => ownedBy(caller, await deps.batchers.findIntentToChange(referenceNumber, until))

function ownedBy<Found extends Intent>({ businessId, sandbox }: Caller, intent: Found | null): Found {
  if (intent === null || intent.businessId !== businessId || intent.cleanedAt !== undefined)
    throw refuse('INTENT_NOT_FOUND')
  if (intent.sandbox !== sandbox) throw refuse('SANDBOX_MISMATCH')
  return intent
}

/** The batcher of intents by reference, of whichever business: whose it is, each caller's own look tells. */
export const createIntentBatcher = (Intent: Model<Intent>): Batcher<string, Intent | null> =>
  createReadBatcher(
    (referenceNumbers) =>
      pastMongoose(Intent)
        .find({ referenceNumber: { $in: referenceNumbers } }, { projection: { outbox: 0 } })
        .toArray(),
    ({ referenceNumber }) => [referenceNumber],
  )

/** As `createIntentBatcher`, for `findIntentToChange`. */
export const createIntentToChangeBatcher = (Intent: Model<Intent>): Batcher<string, IntentToChange | null> =>
  createReadBatcher(
    (referenceNumbers) =>
      pastMongoose(Intent)
        .aggregate<IntentToChange>([
          { $match: { referenceNumber: { $in: referenceNumbers } } },
          { $set: { refundEffects: '$refunds.effectId', bytes: { $bsonSize: '$$ROOT' }, refunds: [] } },
          { $unset: ['outbox'] },
        ])
        .toArray(),
    ({ referenceNumber }) => [referenceNumber],
  )
