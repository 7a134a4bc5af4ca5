import type { DatedRates } from '../businesses/business.ts'
import { type Caller, requireOwned } from '../businesses/caller.ts'
import { freshKeysSince, type WriteRequest } from '../idempotency/request.ts'
import { createBatcher, createInserter, createReadBatcher, createUpdateBatcher } from '../mongo/batchers.ts'
import { rawCollection } from '../mongo/collection.ts'
import type { Deps, Models } from '../platform/deps.ts'
import { isCodeActive, paymentCodeKeyOf } from './codes.ts'
import type { Intent, IntentWithoutRefunds } from './intent.ts'
import { transitions } from './lifecycle.ts'
import { intentAsOf, intentAsOfFields } from './present.ts'
import type { SettleDeps } from './transition.ts'

/** Each change may have to finish an earlier request with the same key. */
export type IntentChangeDeps = SettleDeps & Pick<Deps, 'capacity' | 'config' | 'counters' | 'wallets'>

interface MarkCounts {
  freshMarks: number
  hasOldMarks: boolean
  waitingEvents: number
}

/** `marks` contains only those with a key of a request in the same batch. */
export interface IntentToChange extends IntentWithoutRefunds, MarkCounts {
  refundCount: number
  bytes: number
}

export interface CheckoutIntent extends IntentWithoutRefunds, MarkCounts {
  /** In centimes. Counts only refunds that have SUCCEEDED. */
  refunded: number
  refundedFee: number
  merchant: string
  isSuspended: boolean
  commission: readonly DatedRates[]
}

const maxToChange = 500
const mayExpire = { status: { $in: transitions.expire.from }, hold: null }
export const succeededRefunds = {
  $filter: { input: '$refunds', cond: { $eq: ['$$this.status', 'SUCCEEDED'] } },
}

function countMarks(now: Date) {
  const fresh = { $size: { $filter: { input: '$marks', cond: { $gt: ['$$this.at', freshKeysSince(now)] } } } }
  const hasOldMarks = { $lt: [fresh, { $size: '$marks' }] }
  return { freshMarks: fresh, hasOldMarks, waitingEvents: { $size: '$outbox' } }
}

export function openIntentBatchers({ Intent }: Pick<Models, 'Intent'>, now: () => Date) {
  const intents = rawCollection(Intent)
  const byReference = (projection: Record<string, 0>, where: object = {}) =>
    createReadBatcher<Intent>(
      (references) =>
        intents.find({ referenceNumber: { $in: references }, ...where }, { projection }).toArray(),
      ({ referenceNumber }) => [referenceNumber],
    )
  return {
    insertIntent: createInserter(Intent),
    updateIntent: createUpdateBatcher(intents),
    /** Finds intents of any business, so check the owner yourself. */
    findIntent: byReference({ outbox: 0, lookUpKeys: 0 }),
    /** Omits metadata (up to 153 KB), because many intents expire at once. */
    findExpiring: byReference({ metadata: 0 }, mayExpire),
    findIntentToChange: createBatcher<{ referenceNumber: string; key: string }, IntentToChange | null>(
      maxToChange,
      async (wanted) => {
        const references = [...new Set(wanted.map(({ referenceNumber }) => referenceNumber))]
        const keys = wanted.map(({ key }) => key)
        const found = await intents
          .aggregate<IntentToChange>([
            { $match: { referenceNumber: { $in: references } } },
            {
              $set: {
                refundCount: { $size: '$refunds' },
                ...countMarks(now()),
                marks: { $filter: { input: '$marks', cond: { $in: ['$$this.key', keys] } } },
                bytes: { $bsonSize: '$$ROOT' },
              },
            },
            { $unset: ['outbox', 'lookUpKeys', 'refunds'] },
          ])
          .toArray()
        const intentOf = new Map(found.map((intent) => [intent.referenceNumber, intent]))
        return wanted.map(({ referenceNumber }) => intentOf.get(referenceNumber) ?? null)
      },
    ),
    findOffered: createReadBatcher<CheckoutIntent>(
      (shortCodes) =>
        intents
          .aggregate<CheckoutIntent>([
            { $match: { shortCode: { $in: shortCodes } } },
            {
              $lookup: { from: 'businesses', localField: 'businessId', foreignField: '_id', as: 'business' },
            },
            {
              $set: {
                ...countMarks(now()),
                merchant: { $ifNull: [{ $first: '$business.name' }, ''] },
                refunded: { $sum: { $map: { input: succeededRefunds, in: '$$this.amount' } } },
                refundedFee: {
                  $sum: { $map: { input: succeededRefunds, in: '$$this.returnedFees.payerTtc' } },
                },
                isSuspended: { $ne: [{ $first: '$business.suspended' }, false] },
                commission: { $ifNull: [{ $first: '$business.commission' }, []] },
              },
            },
            { $unset: ['business', 'outbox', 'lookUpKeys', 'refunds'] },
          ])
          .toArray(),
      ({ shortCode }) => [shortCode],
    ),
  }
}

/** SPEC 4.2. Throws INTENT_NOT_FOUND or SANDBOX_MISMATCH. */
export const findIntent = async (
  deps: Pick<Deps, 'batchers'>,
  caller: Caller,
  referenceNumber: string,
  deadlineAt: number,
): Promise<Intent> => ownIntent(caller, await deps.batchers.findIntent(referenceNumber, deadlineAt))

export const findIntentToChange = async (
  deps: Pick<Deps, 'batchers'>,
  caller: Caller,
  referenceNumber: string,
  { key, deadlineAt }: Pick<WriteRequest, 'key' | 'deadlineAt'>,
): Promise<IntentToChange> =>
  ownIntent(caller, await deps.batchers.findIntentToChange({ referenceNumber, key }, deadlineAt))

function ownIntent<Found extends IntentWithoutRefunds>(caller: Caller, intent: Found | null): Found {
  const isOwn = intent?.businessId === caller.businessId && intent.cleanedAt === undefined
  return requireOwned(caller, isOwn ? intent : null, 'INTENT_NOT_FOUND')
}

const maxOfForm = 100
const ofFormFields = { referenceNumber: 1, status: 1, amount: 1, label: 1 } as const

/** Newest first. There are several if a form was corrected and sent again. */
export const findIntentsOfForm = (
  { Intent }: Pick<Deps, 'Intent'>,
  { businessId, sandbox }: Pick<Caller, 'businessId' | 'sandbox'>,
  { personId, form }: Required<NonNullable<Intent['till']>>,
): Promise<Pick<Intent, keyof typeof ofFormFields>[]> =>
  Intent.find({ businessId, sandbox, 'till.personId': personId, 'till.form': form }, ofFormFields)
    .sort({ createdAt: -1, _id: -1 })
    .limit(maxOfForm)
    .lean<Pick<Intent, keyof typeof ofFormFields>[]>()
    .exec()

const neededFields = { shortCode: 1, codeExpiresAt: 1, ...intentAsOfFields }

/** For a live code, `sandboxOf` is null. */
export async function findIntentByCode(
  deps: Pick<Deps, 'Intent' | 'now'>,
  sandboxOf: string | null,
  code: string,
): Promise<Pick<Intent, 'shortCode'> | null> {
  const codeKey = paymentCodeKeyOf({ businessId: sandboxOf ?? '', sandbox: sandboxOf !== null }, code)
  const intent = await deps.Intent.findOne({ codeKey }, neededFields).lean<Intent | null>()
  if (intent === null) return null
  const now = deps.now()
  return isCodeActive(intentAsOf(intent, now), now) ? intent : null
}
