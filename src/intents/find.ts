import type { Model } from 'mongoose'
import type { Caller } from '../businesses/caller.ts'
import { pastMongoose } from '../collection.ts'
import type { Deps } from '../deps.ts'
import { refuse } from '../errors.ts'
import type { Lane } from '../group-commit/lane.ts'
import { createReadLane } from '../group-commit/read-lane.ts'
import type { Intent } from './intent.ts'

/**
 * The caller's own intent. INTENT_NOT_FOUND for an unknown reference, another business's, or a test that the clean-up is taking away;
 * SANDBOX_MISMATCH for one of the caller's other environment (SPEC 4.2).
 * Without the sealed answer. `until`: see group-commit/lane.ts.
 */
export async function findIntent(
  deps: Pick<Deps, 'lanes'>,
  { businessId, sandbox }: Caller,
  referenceNumber: string,
  until: number,
): Promise<Intent> {
  const intent = await deps.lanes.findIntent(referenceNumber, until)
  if (intent === null || intent.businessId !== businessId || intent.cleanedAt !== undefined)
    throw refuse('INTENT_NOT_FOUND')
  if (intent.sandbox !== sandbox) throw refuse('SANDBOX_MISMATCH')
  return intent
}

/** The lane of intents by reference, of whichever business: whose it is, each caller's own look tells. No answer shows the sealed one. */
export const createIntentLane = (Intent: Model<Intent>): Lane<string, Intent | null> =>
  createReadLane(
    (referenceNumbers) =>
      pastMongoose(Intent)
        .find({ referenceNumber: { $in: referenceNumbers } }, { projection: { answer: 0 } })
        .toArray(),
    ({ referenceNumber }) => [referenceNumber],
  )
