import type { VariantFields } from '../../../schemas/create-product.ts'
import { type UpdateProductBody, updateProductBody } from '../../../schemas/update-product.ts'
import type { Caller } from '../../businesses/caller.ts'
import { refuseLarge, withinStorage } from '../../businesses/quotas.ts'
import type { Deps } from '../../deps.ts'
import { once, type Result, type WriteRequest } from '../../idempotency/request.ts'
import { bytesOf } from '../../mongo/bytes-of.ts'
import { nativeCollection } from '../../mongo/collection.ts'
import { given } from '../../mongo/id-page.ts'
import { changedProduct, type ProductChange, type VariantChange } from './changed-product.ts'
import { checkedBytes, readSkus, refuseTakenSkus } from './new-product.ts'
import { presentProduct } from './product.ts'
import { findProduct } from './read.ts'

/**
 * Parses the body of an update request (SPEC 4.9). The rules are the same as for a create request, except that every
 * field is optional.
 */
export function parseChange(deps: Pick<Deps, 'validate'>, body: unknown): ProductChange {
  const input = deps.validate(updateProductBody, body)
  const { name, description, images, active, removeMissingVariants = false } = input
  const variants = variantsOf(input)
  return {
    fields: given({ name, description, images, active }),
    variants,
    removesOthers: removeMissingVariants && input.variants !== undefined,
    givenSkus: readSkus((variants ?? []).map(({ prefix, set }) => ({ prefix, sku: set.sku ?? null }))),
  }
}

/**
 * Returns the changes to variants, or null if there are none. If `variants` is omitted, the label, price, stock and SKU
 * at the top level of the request apply to the product's only variant.
 */
function variantsOf(input: UpdateProductBody): VariantChange[] | null {
  if (input.variants !== undefined)
    return input.variants.map(({ _id = null, ...fields }, index) => ({
      prefix: `variants[${index}].`,
      _id,
      set: fieldsOf(fields),
    }))
  const set = fieldsOf(input)
  return Object.keys(set).length === 0 ? null : [{ prefix: '', _id: null, set }]
}

const fieldsOf = ({ label, price, stock, sku }: VariantFields): VariantChange['set'] =>
  given({ label, price, stock, sku })

/**
 * Changes only the fields that the request contains. Throws the errors of `findProduct` and `changedProduct`. Also
 * throws VALIDATION_ERROR if a SKU already belongs to another product of the shop. If the product gets larger, throws
 * PAYLOAD_TOO_LARGE if it is too large to store. Throws RATE_LIMITED if it gets larger or its response is large, and a
 * daily quota is used up.
 */
export async function updateProduct(
  deps: Deps,
  caller: Caller,
  id: string,
  change: ProductChange,
  request: WriteRequest,
): Promise<Result> {
  if (change.variants === null && Object.keys(change.fields).length === 0)
    return { kind: 'none', data: presentProduct(await findProduct(deps, caller, id)) }
  return withinStorage(deps, caller, (reserve) =>
    once(deps, request, { documents: [id] }, async ({ session }) => {
      const product = await findProduct(deps, caller, id, session)
      const set = { ...changedProduct(product, change), updatedAt: deps.now() }
      await refuseTakenSkus(deps, product, change.givenSkus, session)
      const changed = { ...product, ...set }
      const before = bytesOf(product)
      if (bytesOf(changed) > before) await reserve({ bytes: checkedBytes(changed) - before })
      else await refuseLarge(deps, caller, bytesOf(changed))
      await nativeCollection(deps.Product).updateOne({ _id: id }, { $set: set }, { session })
      return presentProduct(changed)
    }),
  )
}

/** Deletes a product, which frees its SKUs and its handle. Throws the errors of `findProduct`. */
export const deleteProduct = (deps: Deps, caller: Caller, id: string, request: WriteRequest): Promise<Result> =>
  once(deps, request, { documents: [id] }, async ({ session }) => {
    await findProduct(deps, caller, id, session)
    const now = deps.now()
    await nativeCollection(deps.Product).updateOne(
      { _id: id },
      { $set: { listed: false, deletedAt: now, updatedAt: now, skus: [] }, $unset: { handle: 1 } },
      { session },
    )
    return { _id: id, deleted: true }
  })
