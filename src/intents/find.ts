import type { Model } from 'mongoose'
import type { CommissionHistory } from '../businesses/business.ts'
import type { Caller } from '../businesses/caller.ts'
import type { WriteRequest } from '../idempotency/request.ts'
import { freshSince } from '../idempotency/response.ts'
import {
  type Batcher,
  createBatcher,
  createReadBatcher,
  createUpdateBatcher,
  insertsOf,
} from '../mongo/batchers.ts'
import { nativeCollection } from '../mongo/collection.ts'
import type { Deps, Models } from '../platform/deps.ts'
import { refuse } from '../platform/errors.ts'
import { codeKeyOf, isCodeActive } from './codes.ts'
import type { Intent } from './intent.ts'
import { transitions } from './lifecycle.ts'
import { asOf, expiryFields } from './present.ts'

export interface IntentKey {
  referenceNumber: string
  key: string
}

/**
 * An intent, read in order to change it. `refunds` is always empty: a thousand refunds take 1 MB, and reading them
 * would block the process for 5 ms.
 */
export interface IntentToChange extends Intent {
  refundCount: number
  /** `marks` contains only those of the request's own key, so these two describe the rest. */
  freshMarks: number
  hasOldMarks: boolean
  /** Size of the stored document, including its refunds and outbox. */
  bytes: number
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

/** Reads intents by reference, of any business: check the owner yourself. */
export const createIntentBatcher = (Intent: Model<Intent>): Batcher<string, Intent | null> =>
  createReferenceBatcher(Intent, { outbox: 0, lookUpKeys: 0 })

export const createIntentToChangeBatcher = (
  Intent: Model<Intent>,
  now: () => Date,
): Batcher<IntentKey, IntentToChange | null> =>
  createBatcher(maxToChange, async (wanted) => {
    const found = await nativeCollection(Intent)
      .aggregate<IntentToChange>([
        {
          $match: {
            referenceNumber: { $in: [...new Set(wanted.map(({ referenceNumber }) => referenceNumber))] },
          },
        },
        {
          $set: {
            refundCount: { $size: '$refunds' },
            ...countMarks(now()),
            marks: {
              $filter: { input: '$marks', cond: { $in: ['$$this.key', wanted.map(({ key }) => key)] } },
            },
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

const maxToChange = 500

function countMarks(now: Date) {
  const fresh = { $size: { $filter: { input: '$marks', cond: { $gt: ['$$this.at', freshSince(now)] } } } }
  return { freshMarks: fresh, hasOldMarks: { $lt: [fresh, { $size: '$marks' }] } }
}

/** An intent for its hosted page. `refunds` is always empty, because the page shows only their sum. */
export interface OfferedIntent extends Intent {
  /** Sums of the SUCCEEDED refunds and of the payer's fees that they returned, in centimes. */
  refunded: number
  refundedFee: number
  merchant: string
  waitingEvents: number
  freshMarks: number
  hasOldMarks: boolean
  isSuspended: boolean
  /** As set by operators. */
  commission: CommissionHistory
}

const succeeded = {
  $filter: { input: '$refunds', cond: { $eq: ['$$this.status', 'SUCCEEDED'] } },
}

export const createOfferedBatcher = (
  Intent: Model<Intent>,
  now: () => Date,
): Batcher<string, OfferedIntent | null> =>
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

/** Batched, because after a sale many expire in the same second. Without metadata, which can be 153 KB per intent. */
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
 * Finds one of the caller's intents, without its outbox. Throws INTENT_NOT_FOUND if there's none, it belongs to another
 * business, or the clean-up is removing it, and SANDBOX_MISMATCH if it belongs to the caller's other environment (SPEC
 * 4.2).
 */
export async function findIntent(
  deps: Pick<Deps, 'batchers'>,
  caller: Caller,
  referenceNumber: string,
  deadlineAt: number,
): Promise<Intent> {
  return ownedBy(caller, await deps.batchers.findIntent(referenceNumber, deadlineAt))
}

/** Like `findIntent`, with the same errors, for a request that may change the intent. */
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
 * Finds an intent by its active payment code; null if there is none. `sandboxOf` is the business whose test intents to
 * search, or null for the live intents of all businesses.
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
