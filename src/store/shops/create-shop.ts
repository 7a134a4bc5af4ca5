import { addLines } from '../../audit/add-lines.ts'
import { auditLine, type By } from '../../audit/audit-event.ts'
import type { Deps } from '../../deps.ts'
import { isDuplicate, nativeCollection } from '../../mongo/collection.ts'
import { transaction } from '../../mongo/transaction.ts'
import { newId } from '../../security/ids.ts'
import type { Shop } from './shop.ts'

const timeoutMs = 8_000

/** Creates a business's live shop. Returns null if the business already has one. */
export async function createShop(
  deps: Pick<Deps, 'Shop' | 'AuditEvent' | 'transactions' | 'now'>,
  { businessId, name }: Pick<Shop, 'businessId' | 'name'>,
  by: By,
): Promise<Shop | null> {
  const createdAt = deps.now()
  const shop: Shop = { _id: newId(), businessId, sandbox: false, name, createdAt }
  const about = { act: 'shop.created', subject: shop._id, businessId } as const
  const line = auditLine({ at: createdAt, ...by, ...about, after: { mode: 'live', name } })
  const deadlineAt = performance.now() + timeoutMs
  try {
    await transaction(deps, { documents: [], deadlineAt }, async (session) => {
      await nativeCollection(deps.Shop).insertOne(shop, { session })
      await addLines(deps, [line], session)
    })
    return shop
  } catch (error) {
    if (isDuplicate(error)) return null
    throw error
  }
}
