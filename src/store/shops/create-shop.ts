import type { By } from '../../audit/audit-event.ts'
import { type AuditedDeps, audited } from '../../audit/audited.ts'
import { nativeCollection, nullIfDuplicate } from '../../mongo/collection.ts'
import type { Models } from '../../mongo/models.ts'
import { newId } from '../../security/ids.ts'
import type { Shop } from './shop.ts'

/** Creates a business's live shop. Returns null if the business already has one. */
export const createShop = (
  deps: Pick<Models, 'Shop'> & AuditedDeps,
  { businessId, name }: Pick<Shop, 'businessId' | 'name'>,
  by: By,
): Promise<Shop | null> =>
  audited(deps, { documents: [], by }, async ({ session, at: createdAt, add }) => {
    const shop: Shop = { _id: newId(), businessId, sandbox: false, name, createdAt }
    await nativeCollection(deps.Shop).insertOne(shop, { session })
    await add({ act: 'shop.created', subject: shop._id, businessId, after: { mode: 'live', name } })
    return shop
  }).catch(nullIfDuplicate)
