import type { mongo } from 'mongoose'
import { rawCollection } from '../../mongo/collection.ts'
import type { Deps } from '../../platform/deps.ts'
import { refuseIfLate } from '../../platform/errors.ts'
import { readInSlices, runInSlices } from '../../platform/in-slices.ts'
import type { Product, Variant } from '../products/product.ts'
import { compareProduct, type ExistingProduct, type ProductComparison } from './compare-product.ts'
import { checkImportedSkus, createCsvErrors, type ProductRow, type SkuOwner } from './rows.ts'

type ReadDeps = Pick<Deps, 'Product'>

export type ImportComparison = ReturnType<typeof summary>

export async function compareImport(
  deps: ReadDeps,
  scope: ImportScope,
  rows: readonly ProductRow[],
): Promise<ImportComparison> {
  refuseIfLate(scope.deadlineAt)
  const faults = createCsvErrors()
  const byHandle = Map.groupBy(rows, ({ handle }) => handle)
  const ofExisting = new Map<string, ProductComparison>()
  // A description can be up to 20 kB, so read it only if needed.
  const givesDescriptions = rows.some(({ description }) => description !== null)
  const existing = listedOf<ExistingProduct & { handle: string }>(
    deps,
    scope,
    { handle: { $in: [...byHandle.keys()] } },
    { projection: { ...compared, ...(givesDescriptions ? { description: 1 } : {}) }, hint: 'handleInUse' },
  )
  await readInSlices(existing, (product) => {
    refuseIfLate(scope.deadlineAt)
    const { handle } = product
    ofExisting.set(handle, compareProduct(scope, handle, byHandle.get(handle) ?? [], product, faults))
  })
  const outcomes: ProductComparison[] = []
  await runInSlices(byHandle, ([handle, rowsOfHandle]) => {
    outcomes.push(ofExisting.get(handle) ?? compareProduct(scope, handle, rowsOfHandle, null, faults))
  })
  const matched = outcomes.flatMap((outcome) => outcome.matched)
  const given = matched.flatMap(({ row, givesSku }) => (givesSku ? (row.sku ?? []) : []))
  await checkImportedSkus(matched, await readOwners(deps, scope, new Set(given)), faults)
  faults.refuseIfAny()
  return summary(rows.length, outcomes)
}

function summary(rows: number, outcomes: readonly ProductComparison[]) {
  const handlesOf = (isWanted: (outcome: ProductComparison) => boolean): string[] =>
    outcomes.filter(isWanted).map(({ handle }) => handle)
  const handles = {
    created: handlesOf(({ created }) => created !== null),
    updated: handlesOf(({ changed }) => changed !== null),
    unchanged: handlesOf(({ created, changed }) => created === null && changed === null),
  }
  return {
    created: outcomes.flatMap(({ created }) => created ?? []),
    changed: outcomes.flatMap(({ changed }) => changed ?? []),
    growth: outcomes.reduce((sum, { growth }) => sum + growth, 0),
    counts: {
      created: handles.created.length,
      updated: handles.updated.length,
      unchanged: handles.unchanged.length,
      variants: outcomes.reduce((sum, { variants }) => sum + variants, 0),
      rows,
    },
    handles,
  }
}

export interface ImportScope extends Pick<Product, 'businessId' | 'sandbox'> {
  /** In ms, on the clock of `performance.now()`. */
  deadlineAt: number
  session?: mongo.ClientSession
}

/** A batch takes up at most 7 MB. */
const batchSize = 100

const compared = { handle: 1, name: 1, active: 1, variants: 1, bytes: { $bsonSize: '$$ROOT' } } as const

type WithSkus = Pick<Product, '_id'> & { handle: string; variants: Pick<Variant, '_id' | 'sku'>[] }

async function readOwners(deps: ReadDeps, scope: ImportScope, skus: Set<string>) {
  const owners = new Map<string, SkuOwner>()
  if (skus.size === 0) return owners
  const projection = { handle: 1, 'variants._id': 1, 'variants.sku': 1 }
  const options = { projection, hint: 'skuInUse' }
  const found = listedOf<WithSkus>(deps, scope, { skus: { $in: [...skus] } }, options)
  await readInSlices(found, ({ _id: productId, handle, variants }) => {
    refuseIfLate(scope.deadlineAt)
    for (const { _id: variantId, sku } of variants)
      if (sku !== null && skus.has(sku)) owners.set(sku, { productId, handle, variantId })
  })
  return owners
}

/** Returns a cursor, because products may take up hundreds of MB. */
const listedOf = <Found extends object>(
  deps: ReadDeps,
  { businessId, sandbox, session }: ImportScope,
  filter: Record<string, unknown>,
  options: { projection: Record<string, unknown>; hint: string },
) =>
  rawCollection(deps.Product).find<Found>(
    { businessId, sandbox, listed: true, ...filter },
    { ...options, batchSize, ...(session && { session }) },
  )
