import type { Model } from 'mongoose'
import type { CommissionHistory } from '../businesses/business.ts'
import type { Caller } from '../businesses/caller.ts'
import type { WriteRequest } from '../idempotency/request.ts'
import { freshSince } from '../idempotency/response.ts'
import { type Batcher, createBatcher, createReadBatcher, createUpdateBatcher, insertsOf } from '../mongo/batchers.ts'
import { nativeCollection } from '../mongo/collection.ts'
import type { Deps, Models } from '../platform/deps.ts'
import { refuse } from '../platform/errors.ts'
import { codeKeyOf, isCodeActive } from './codes.ts'
import type { Intent } from './intent.ts'
import { transitions } from './lifecycle.ts'
import { asOf, expiryFields } from './present.ts'

/** An intent by its reference, and the key of the request that reads it. */
export interface IntentKey {
  referenceNumber: string
  key: string
}

/**
 * An intent as read by a request that may change it. Its `refunds` list is always empty, because an intent may have a
 * thousand refunds with a total size of 1 MB. Reading these refunds would take 5 ms, during which the process could not
 * serve any other request.
 */
export interface IntentToChange extends Intent {
  /** How many refunds the intent has. */
  refundCount: number
  /** How many marks are fresh, and whether there are others. `marks` contains only those of the request's own key. */
  freshMarks: number
  hasOldMarks: boolean
  /** The size of the whole stored document in bytes, including its refunds and outbox. */
  bytes: number
  /** The number of events in the outbox. */
  waitingEvents: number
}

const createReferenceBatcher = (
  Intent: Model<Intent>,
  projection: Record<string, 0>,
  where: object = {},
): Batcher<string, Intent | null> =>
  createReadBatcher(
    (referenceNumbers) =>
      nativeCollection(Intent)
        .find({ referenceNumber: { $in: referenceNumbers }, ...where }, { projection })
        .toArray(),
    ({ referenceNumber }) => [referenceNumber],
  )

/**
 * Creates the batcher that reads intents by reference. The batcher does not check which business an intent belongs to,
 * so each caller must do so.
 */
export const createIntentBatcher = (Intent: Model<Intent>): Batcher<string, Intent | null> =>
  createReferenceBatcher(Intent, { outbox: 0, lookUpKeys: 0 })

/** Creates the batcher that `findIntentToChange` uses to read intents. */
export const createIntentToChangeBatcher = (
  Intent: Model<Intent>,
  now: () => Date,
): Batcher<IntentKey, IntentToChange | null> =>
  createBatcher(maxToChange, async (wanted) => {
    const found = await nativeCollection(Intent)
      .aggregate<IntentToChange>([
        { $match: { referenceNumber: { $in: [...new Set(wanted.map(({ referenceNumber }) => referenceNumber))] } } },
        {
          $set: {
            refundCount: { $size: '$refunds' },
            ...countMarks(now()),
            marks: { $filter: { input: '$marks', cond: { $in: ['$$this.key', wanted.map(({ key }) => key)] } } },
            bytes: { $bsonSize: '$$ROOT' },
            waitingEvents: { $size: '$outbox' },
            refunds: [],
          },
        },
        { $unset: ['outbox', 'lookUpKeys'] },
      ])
      .toArray()
    const byReference = new Map(found.map((intent) => [intent.referenceNumber, intent]))
    return wanted.map(({ referenceNumber }) => byReference.get(referenceNumber) ?? null)
  })

/** The maximum number of intents in a batch of these reads. */
const maxToChange = 500

function countMarks(now: Date) {
  const fresh = { $size: { $filter: { input: '$marks', cond: { $gt: ['$$this.at', freshSince(now)] } } } }
  return { freshMarks: fresh, hasOldMarks: { $lt: [fresh, { $size: '$marks' }] } }
}

/**
 * An intent as displayed on its hosted page. Its `refunds` list is always empty, because the page shows only the sum of
 * the refunds.
 */
export interface OfferedIntent extends Intent {
  /** The sum of the intent's SUCCEEDED refunds, in centimes, and the sum of the payer's fees that they returned. */
  refunded: number
  refundedFee: number
  /** The name of the business that created the intent. */
  merchant: string
  /** The number of events in the outbox. */
  waitingEvents: number
  freshMarks: number
  hasOldMarks: boolean
  /** Whether the business is suspended. Customers cannot pay a suspended business. */
  isSuspended: boolean
  /** The commission rates that operators have set for the business. */
  commission: CommissionHistory
}

const succeeded = {
  $filter: { input: '$refunds', cond: { $eq: ['$$this.status', 'SUCCEEDED'] } },
}

/**
 * Creates the batcher that reads intents for the hosted page. The batcher finds each intent by its short code, together
 * with the business that created it.
 */
export const createOfferedBatcher = (Intent: Model<Intent>, now: () => Date): Batcher<string, OfferedIntent | null> =>
  createReadBatcher(
    (shortCodes) =>
      nativeCollection(Intent)
        .aggregate<OfferedIntent>([
          { $match: { shortCode: { $in: shortCodes } } },
          { $set: countMarks(now()) },
          { $lookup: { from: 'businesses', localField: 'businessId', foreignField: '_id', as: 'business' } },
          {
            $set: {
              merchant: { $ifNull: [{ $first: '$business.name' }, ''] },
              refunded: { $sum: { $map: { input: succeeded, in: '$$this.amount' } } },
              refundedFee: { $sum: { $map: { input: succeeded, in: '$$this.returnedFees.payerTtc' } } },
              waitingEvents: { $size: '$outbox' },
              refunds: [],
              isSuspended: { $ne: [{ $first: '$business.suspended' }, false] },
              commission: { $ifNull: [{ $first: '$business.commission' }, []] },
            },
          },
          { $unset: ['business', 'outbox', 'lookUpKeys'] },
        ])
        .toArray(),
    ({ shortCode }) => [shortCode],
  )

/**
 * Creates the batcher that looks up, by reference, intents that may expire. The reads are batched because, after a
 * sale, many intents may expire in the same second. The batcher omits the metadata, which can take up 153 KB per
 * intent.
 */
export const createExpiringBatcher = (Intent: Model<Intent>): Batcher<string, Intent | null> =>
  createReferenceBatcher(Intent, { metadata: 0 }, mayExpire)

const mayExpire = { status: { $in: transitions.expire.from }, hold: null }

export const openIntentBatchers = ({ Intent }: Pick<Models, 'Intent'>, now: () => Date) => ({
  insertIntent: insertsOf(Intent),
  findIntent: createIntentBatcher(Intent),
  findIntentToChange: createIntentToChangeBatcher(Intent, now),
  findOffered: createOfferedBatcher(Intent, now),
  findExpiring: createExpiringBatcher(Intent),
  updateIntent: createUpdateBatcher(nativeCollection(Intent)),
})

/**
 * Finds one of the caller's intents and returns it without its outbox. Throws INTENT_NOT_FOUND if the reference is
 * unknown or belongs to another business, or if the clean-up is removing the intent. Throws SANDBOX_MISMATCH if the
 * intent belongs to the caller's other environment (SPEC 4.2).
 */
export async function findIntent(
  deps: Pick<Deps, 'batchers'>,
  caller: Caller,
  referenceNumber: string,
  deadlineAt: number,
): Promise<Intent> {
  return ownedBy(caller, await deps.batchers.findIntent(referenceNumber, deadlineAt))
}

/** Like `findIntent`, but for a request that may change the intent. */
export const findIntentToChange = async (
  deps: Pick<Deps, 'batchers'>,
  caller: Caller,
  referenceNumber: string,
  { key, deadlineAt }: Pick<WriteRequest, 'key' | 'deadlineAt'>,
): Promise<IntentToChange> =>
  ownedBy(caller, await deps.batchers.findIntentToChange({ referenceNumber, key }, deadlineAt))

function ownedBy<Stored extends Intent>({ businessId, sandbox }: Caller, intent: Stored | null): Stored {
  if (intent === null || intent.businessId !== businessId || intent.cleanedAt !== undefined)
    throw refuse('INTENT_NOT_FOUND')
  if (intent.sandbox !== sandbox) throw refuse('SANDBOX_MISMATCH')
  return intent
}

const neededFields = { shortCode: 1, codeExpiresAt: 1, ...expiryFields }

/**
 * Finds the intent with this payment code. `sandboxOf` is the id of the business whose test intents are searched, or
 * null to search the live intents of all businesses. Returns null if the code is unknown or no longer active, for
 * example because the intent has been paid or has expired.
 */
export async function findByCode(
  deps: Pick<Deps, 'Intent' | 'now'>,
  sandboxOf: string | null,
  code: string,
): Promise<Pick<Intent, 'shortCode'> | null> {
  const codeKey = codeKeyOf({ businessId: sandboxOf ?? '', sandbox: sandboxOf !== null }, code)
  const intent = await deps.Intent.findOne({ codeKey }, neededFields).lean<Intent | null>()
  if (intent === null) return null
  const now = deps.now()
  return isCodeActive(asOf(intent, now), now) ? intent : null
}
