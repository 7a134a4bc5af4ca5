import type { mongo } from 'mongoose'
import type { Deps } from '../../deps.ts'
import { type Refusal, refuse } from '../../errors.ts'
import type { Product, Variant } from './product.ts'

/** Returns the SKUs of the variants. Variants without a SKU are skipped. */
export const skusOf = (variants: readonly Partial<Pick<Variant, 'sku'>>[]): string[] =>
  variants.flatMap(({ sku }) => sku ?? [])

/** The SKUs in a request. Each SKU is mapped to the name of the request field that contains it. */
export type GivenSkus = ReadonlyMap<string, string>

/** Collects the SKUs of a request. If a SKU occurs twice, throws VALIDATION_ERROR with the second field as `param`. */
export function readSkus(given: readonly { sku?: string | null | undefined; prefix: string }[]): GivenSkus {
  const skus = new Map<string, string>()
  for (const { sku, prefix } of given) {
    if (sku === undefined || sku === null) continue
    const param = `${prefix}sku`
    const first = skus.get(sku)
    if (first !== undefined) throw skuTaken(param, `${param} is the same as ${first}. Each variant needs its own SKU.`)
    skus.set(sku, param)
  }
  return skus
}

export const skuTaken = (param: string, message: string): Refusal => refuse('VALIDATION_ERROR', { param, message })

/**
 * Throws VALIDATION_ERROR if any of the SKUs belongs to another product of the shop. The error names the first such SKU
 * in the request. If another transaction takes one of the SKUs later, the unique index makes one of the two repeat.
 */
export async function refuseTakenSkus(
  { Product }: Pick<Deps, 'Product'>,
  { _id, businessId, sandbox }: Pick<Product, '_id' | 'businessId' | 'sandbox'>,
  given: GivenSkus,
  session: mongo.ClientSession,
): Promise<void> {
  if (given.size === 0) return
  const others = await Product.find(
    { businessId, sandbox, skus: { $in: [...given.keys()] }, _id: { $ne: _id } },
    { skus: 1 },
    { session },
  ).lean<Pick<Product, 'skus'>[]>()
  const taken = new Set(others.flatMap(({ skus }) => skus))
  for (const [sku, param] of given)
    if (taken.has(sku)) throw skuTaken(param, `${param} is already used by another product.`)
}
