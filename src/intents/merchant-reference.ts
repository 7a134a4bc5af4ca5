import type { Deps } from '../deps.ts'
import { refuse, unavailable } from '../errors.ts'
import { environmentOf } from '../metrics/metrics.ts'
import type { Insertion } from '../mongo/batching/insert-batcher.ts'
import { expireIntent } from './expire.ts'
import type { Intent } from './intent.ts'
import { referenceIndex } from './intent-indexes.ts'
import { isPending, isRefundable } from './lifecycle.ts'
import { asOf } from './present.ts'

/**
 * The maximum number of inserts of one intent. More than two are needed only if other requests give the reference to
 * several intents, and free it again, between these inserts.
 */
const maxInserts = 5

/** Returns the unique key of a merchant's reference, or no field if the intent has no reference. */
export const referenceKeyOf = (
  { businessId, sandbox }: Pick<Intent, 'businessId' | 'sandbox'>,
  { merchantReference }: Pick<Intent, 'merchantReference'>,
): Pick<Intent, 'referenceKey'> =>
  merchantReference === null ? {} : { referenceKey: `${environmentOf({ sandbox })}:${businessId}:${merchantReference}` }

/**
 * Inserts an intent. Throws MERCHANT_REFERENCE_TAKEN if another intent that is PENDING, PAID or REFUNDED has the same
 * merchant's reference. If that intent is overdue, this function expires it and inserts again, so the reference becomes
 * free at the expiry time even while no worker is running. If an earlier attempt at the same request has inserted the
 * intent, returns the name of the `_id_` index, even if the intent has lost its reference to another one since.
 */
export async function insertUnlessTaken(deps: Deps, intent: Intent, deadlineAt: number): Promise<Insertion> {
  for (let inserts = 0; inserts < maxInserts; inserts += 1) {
    const insertion = await deps.batchers.insertIntent(intent, deadlineAt)
    if (insertion.inserted || insertion.index !== referenceIndex) return insertion
    // MongoDB reports only one of the indexes that refuse a document, so the intent itself may be stored already.
    const now = deps.now()
    const found = await findStored(deps, intent)
    if (found.some(({ _id }) => _id === intent._id)) return { inserted: false, index: '_id_' }
    for (const stored of found) {
      const { status, referenceNumber } = asOf(stored, now)
      if (isPending(status) || isRefundable(status)) {
        deps.shortCodes.giveBack(intent.shortCode)
        throw taken(referenceNumber)
      }
      await expireIntent(deps, referenceNumber, deadlineAt)
    }
  }
  throw unavailable()
}

type Stored = Pick<
  Intent,
  '_id' | 'referenceNumber' | 'status' | 'cancellationReason' | 'hold' | 'expiresAt' | 'updatedAt'
>

/** Finds the intent itself, if it is stored already, and the intent that has its reference. */
const findStored = ({ Intent }: Pick<Deps, 'Intent'>, { _id, referenceKey = '' }: Intent): Promise<Stored[]> =>
  Intent.find(
    { $or: [{ _id }, { referenceKey }] },
    { referenceNumber: 1, status: 1, cancellationReason: 1, hold: 1, expiresAt: 1, updatedAt: 1 },
  ).lean<Stored[]>()

const taken = (referenceNumber: string) =>
  refuse('MERCHANT_REFERENCE_TAKEN', { param: 'merchantReference', details: { referenceNumber } })
