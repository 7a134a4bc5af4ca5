import type { Deps } from '../../../deps.ts'
import { nativeCollection } from '../../../mongo/collection.ts'
import { readInSlices } from '../../../process/in-slices.ts'
import type { Product, Variant } from '../../products/product.ts'
import type { SkuOwner } from '../file/check-skus.ts'
import type { ExistingProduct } from './compare-product.ts'
import { refuseLate } from './refuse-late.ts'

/** Whose products a file is compared with. */
export interface ImportScope extends Pick<Product, 'businessId' | 'sandbox'> {
  /** Until when there is time for it, on `performance.now()`. */
  deadlineAt: number
}

type ReadDeps = Pick<Deps, 'Product'>

/** Products per batch. A batch of the largest products takes 7 MB. */
const batchSize = 100

const compared = { handle: 1, name: 1, active: 1, variants: 1 } as const

/** The shop's products with these handles. Descriptions, of up to 20 kB each, are read only if the file contains any. */
export const readExisting = (
  deps: ReadDeps,
  scope: ImportScope,
  handles: string[],
  givesDescriptions: boolean,
) =>
  listedOf<ExistingProduct & { handle: string }>(
    deps,
    scope,
    { handle: { $in: handles } },
    {
      projection: { ...compared, ...(givesDescriptions ? { description: 1 } : {}) },
      hint: 'handleInUse',
    },
  )

type WithSkus = Pick<Product, '_id'> & { handle: string; variants: Pick<Variant, '_id' | 'sku'>[] }

const skusOnly = {
  projection: { handle: 1, 'variants._id': 1, 'variants.sku': 1 },
  hint: 'skuInUse',
} as const

/** Who of the shop has each of these SKUs. SERVICE_UNAVAILABLE when the time is over. */
export async function readOwners(
  deps: ReadDeps,
  scope: ImportScope,
  skus: ReadonlySet<string>,
): Promise<Map<string, SkuOwner>> {
  const owners = new Map<string, SkuOwner>()
  if (skus.size === 0) return owners
  const having = listedOf<WithSkus>(deps, scope, { skus: { $in: [...skus] } }, skusOnly)
  await readInSlices(having, ({ _id: productId, handle, variants }) => {
    refuseLate(scope.deadlineAt)
    for (const { _id: variantId, sku } of variants)
      if (sku !== null && skus.has(sku)) owners.set(sku, { productId, handle, variantId })
  })
  return owners
}

/** To be read one after the other: all of them may be hundreds of megabytes. By its own index, whatever else a planner thinks of. */
const listedOf = <Seen extends object>(
  deps: ReadDeps,
  { businessId, sandbox }: ImportScope,
  named: Record<string, unknown>,
  asked: { projection: Record<string, 1>; hint: string },
) =>
  nativeCollection(deps.Product).find<Seen>(
    { businessId, sandbox, listed: true, ...named },
    { ...asked, batchSize },
  )
