import type { Deps } from '../../deps.ts'
import { type Refusal, refuse } from '../../errors.ts'
import type { Product } from './product.ts'

/** The SKUs that a request gives, each with the field that gives it. */
export type GivenSkus = ReadonlyMap<string, string>

/** VALIDATION_ERROR for a SKU that is given twice, naming the second. */
export function readSkus(given: readonly { sku?: string | null | undefined; at: string }[]): GivenSkus {
  const skus = new Map<string, string>()
  for (const { sku, at } of given) {
    if (sku === undefined || sku === null) continue
    const param = `${at}sku`
    const first = skus.get(sku)
    if (first !== undefined)
      throw skuTaken(param, `${param} is the same as ${first}. Each variant needs its own SKU.`)
    skus.set(sku, param)
  }
  return skus
}

export const skuTaken = (param: string, message: string): Refusal =>
  refuse('VALIDATION_ERROR', { param, message })

/** VALIDATION_ERROR naming the first that another product of the shop has. Nothing where none has any, or none has any more. */
export async function refuseTakenSkus(
  deps: Pick<Deps, 'Product'>,
  { _id, businessId, sandbox }: Pick<Product, '_id' | 'businessId' | 'sandbox'>,
  given: GivenSkus,
): Promise<void> {
  const others = await deps.Product.find(
    { businessId, sandbox, skus: { $in: [...given.keys()] }, _id: { $ne: _id } },
    { skus: 1 },
  ).lean<Pick<Product, 'skus'>[]>()
  const taken = new Set(others.flatMap(({ skus }) => skus))
  for (const [sku, param] of given)
    if (taken.has(sku)) throw skuTaken(param, `${param} is already used by another product.`)
}
