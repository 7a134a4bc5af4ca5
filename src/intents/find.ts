import type { Model } from 'mongoose'
import type { Caller } from '../businesses/caller.ts'
import { pastMongoose } from '../collection.ts'
import type { Deps } from '../deps.ts'
import { refuse } from '../errors.ts'
import { createReadLane, type Lane } from '../group-commit.ts'
import type { Intent } from './intent.ts'

/**
 * The caller's own intent. INTENT_NOT_FOUND for an unknown reference, another business's, or a test that the clean-up is taking away;
 * SANDBOX_MISMATCH for one of the caller's other environment (SPEC 4.2).
 */
export async function findIntent(
  deps: Pick<Deps, 'Intent'>,
  caller: Caller,
  referenceNumber: string,
): Promise<Intent> {
  const { businessId } = caller
  const intent = await deps.Intent.findOne({ businessId, referenceNumber }).lean<Intent | null>()
  return ownOf(caller, intent)
}

/** The same in a trip that is shared with whoever else looks one up. `until`: see group-commit.ts. */
export const findIntentTogether = async (
  deps: Pick<Deps, 'lanes'>,
  caller: Caller,
  referenceNumber: string,
  until: number,
): Promise<Intent> => ownOf(caller, await deps.lanes.findIntent(referenceNumber, until))

function ownOf({ businessId, sandbox }: Caller, intent: Intent | null): Intent {
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
