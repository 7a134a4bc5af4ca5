import type { Deps } from '../../../deps.ts'
import { nativeCollection } from '../../../mongo/collection.ts'
import { readInSlices } from '../../../process/in-slices.ts'
import type { Product, Variant } from '../../products/product.ts'
import type { SkuOwner } from '../file/check-skus.ts'
import type { ExistingProduct } from './compare-product.ts'
import { refuseLate } from './refuse-late.ts'

/** The shop with which a file is compared, and the deadline of the request. */
export interface ImportScope extends Pick<Product, 'businessId' | 'sandbox'> {
  /** The request's deadline, on the clock of `performance.now()`. */
  deadlineAt: number
}

type ReadDeps = Pick<Deps, 'Product'>

/** The number of products that MongoDB sends per batch. A batch of products of the largest size takes up 7 MB. */
const batchSize = 100

const compared = { handle: 1, name: 1, active: 1, variants: 1 } as const

/**
 * Finds the shop's products that have these handles. A description may take up 20 kB, so descriptions are read only if
 * the file contains any.
 */
export const readExisting = (deps: ReadDeps, scope: ImportScope, handles: string[], givesDescriptions: boolean) =>
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

/** Finds the variants in the shop that currently have these SKUs. Throws SERVICE_UNAVAILABLE after the deadline. */
export async function readOwners(
  deps: ReadDeps,
  scope: ImportScope,
  skus: ReadonlySet<string>,
): Promise<Map<string, SkuOwner>> {
  const owners = new Map<string, SkuOwner>()
  if (skus.size === 0) return owners
  const found = listedOf<WithSkus>(deps, scope, { skus: { $in: [...skus] } }, skusOnly)
  await readInSlices(found, ({ _id: productId, handle, variants }) => {
    refuseLate(scope.deadlineAt)
    for (const { _id: variantId, sku } of variants)
      if (sku !== null && skus.has(sku)) owners.set(sku, { productId, handle, variantId })
  })
  return owners
}

/**
 * Finds the shop's listed products that match a filter. Returns a cursor instead of an array, because the products may
 * take up hundreds of megabytes in total. The `hint` in `options` prevents MongoDB from choosing a different index.
 */
const listedOf = <Found extends object>(
  deps: ReadDeps,
  { businessId, sandbox }: ImportScope,
  filter: Record<string, unknown>,
  options: { projection: Record<string, 1>; hint: string },
) =>
  nativeCollection(deps.Product).find<Found>(
    { businessId, sandbox, listed: true, ...filter },
    { ...options, batchSize },
  )
