import { auditLine, type By } from '../../audit/audit-event.ts'
import { publishAudit } from '../../audit/publish.ts'
import type { Deps } from '../../deps.ts'
import { isDuplicate, nativeCollection } from '../../mongo/collection.ts'
import { newId } from '../../security/ids.ts'
import type { Shop } from './shop.ts'

/**
 * Creates a business's shop in one environment. Returns null if the business already has a shop there. `by` is null if
 * the shop is created automatically, as in the sandbox. In that case, the audit trail gets no line.
 */
export async function createShop(
  deps: Pick<Deps, 'Shop' | 'AuditEvent' | 'now'>,
  input: Pick<Shop, 'businessId' | 'sandbox' | 'name'>,
  by: By | null,
): Promise<Shop | null> {
  const { businessId, sandbox, name } = input
  const id = newId()
  const createdAt = deps.now()
  const about = { act: 'shop.created', subject: id, businessId } as const
  const after = { mode: sandbox ? 'test' : 'live', name }
  const unaudited = by === null ? [] : [auditLine({ at: createdAt, ...by, ...about, after })]
  const shop: Shop = { _id: id, ...input, createdAt, unaudited }
  try {
    await nativeCollection(deps.Shop).insertOne(shop)
  } catch (error) {
    if (isDuplicate(error)) return null
    throw error
  }
  await publishAudit(deps, deps.Shop, [shop])
  return shop
}
