import type { mongo } from 'mongoose'
import { type ImportProductsQuery, importProductsFields } from '../../../schemas/products.ts'
import { auditedOnce } from '../../audit/audited.ts'
import type { Caller } from '../../businesses/caller.ts'
import { type QuotaDeps, type Reserve, withinStorage } from '../../businesses/quotas.ts'
import type { Result, WriteRequest } from '../../idempotency/request.ts'
import { nativeCollection } from '../../mongo/collection.ts'
import type { Deps } from '../../platform/deps.ts'
import { refuseLate } from '../../platform/errors.ts'
import { newProduct } from '../products/create.ts'
import type { Product } from '../products/product.ts'
import { openShop, requireShop } from '../shops/shops.ts'
import { type Comparison, compareWithShop, type ImportCounts, type ImportScope } from './compare.ts'
import { readRows } from './read-file.ts'
import type { ProductRow } from './rows.ts'

export interface ImportRequest {
  rows: readonly ProductRow[]
  isDryRun: boolean
}

/** `others` names the fields beside the file. */
export interface FileBody {
  csv: unknown
  kind: keyof typeof importProductsFields
  others: string[]
}

/** Throws VALIDATION_ERROR with the file's faults, or SERVICE_UNAVAILABLE after the deadline. */
export async function parseImport(
  deps: Pick<Deps, 'config' | 'validate'>,
  { dryRun = 'false' }: ImportProductsQuery,
  { csv, kind, others }: FileBody,
  deadlineAt: number,
): Promise<ImportRequest> {
  refuseLate(deadlineAt)
  deps.validate(importProductsFields[kind], Object.fromEntries(others.map((name) => [name, true])))
  return { rows: await readRows(deps, csv), isDryRun: dryRun === 'true' }
}

/** MongoDB ends a transaction after 5 s, and until then other requests wait for the products it has changed. */
const longestTryMs = 4_000

/** How many products to lock before anything is read. */
const maxBusy = 100

type ImportDeps = Parameters<typeof auditedOnce>[0] & QuotaDeps & Pick<Deps, 'Shop' | 'Product'>

/**
 * Imports all rows in one transaction, so they appear all at once or not at all. Throws VALIDATION_ERROR with the
 * file's faults, SHOP_NOT_FOUND if the caller has no shop, SERVICE_UNAVAILABLE if it takes too long, and RATE_LIMITED
 * if the products exceed a daily quota. A dry run writes nothing.
 */
export async function importProducts(
  deps: ImportDeps,
  caller: Caller,
  { rows, isDryRun }: ImportRequest,
  request: WriteRequest,
): Promise<Result> {
  const { businessId, sandbox } = caller
  const { deadlineAt } = request
  if (isDryRun) {
    await requireShop(deps, caller)
    return {
      kind: 'none',
      data: previewOf(await compareWithShop(deps, { businessId, sandbox, deadlineAt }, rows)),
    }
  }
  return withinStorage(deps, caller, (reserve) =>
    auditedOnce(deps, request, { documents: [] }, ({ session }) => {
      const scope = {
        businessId,
        sandbox,
        session,
        deadlineAt: Math.min(deadlineAt, performance.now() + longestTryMs),
      }
      return importRows(deps, caller, scope, rows, reserve)
    }),
  )
}

async function importRows(
  deps: ImportDeps,
  caller: Caller,
  scope: Required<ImportScope>,
  rows: readonly ProductRow[],
  reserve: Reserve,
): Promise<ImportCounts> {
  const { session } = scope
  const busy = await findBusy(deps, scope, rows)
  // Imports of a shop run one after the other, because each changes the shop's document.
  await openShop(deps, caller, session, { $inc: { imports: 1 } })
  // From now on, it's the others that have to repeat their changes.
  if (busy.length > 0)
    await nativeCollection(deps.Product).updateMany(
      { _id: { $in: busy } },
      { $inc: { imports: 1 } },
      { session },
    )
  const comparison = await compareWithShop(deps, scope, rows)
  await reserve({ creates: comparison.created.length, bytes: comparison.growth })
  await write(deps, scope, comparison)
  return comparison.counts
}

/**
 * Finds the products of the file that changed last. If another request changed one of them between the transaction's
 * first read and its write, everything would have to be repeated.
 */
const findBusy = async (
  { Product }: ImportDeps,
  { businessId, sandbox }: ImportScope,
  rows: readonly ProductRow[],
): Promise<string[]> => {
  const handles = [...new Set(rows.map(({ handle }) => handle))]
  const found = await nativeCollection(Product)
    .find({ businessId, sandbox, listed: true, handle: { $in: handles } }, { hint: 'handleInUse' })
    .project<Pick<Product, '_id'>>({ _id: 1 })
    .sort({ updatedAt: -1 })
    .limit(maxBusy)
    .toArray()
  return found.map(({ _id }) => _id)
}

async function write(
  { Product, now }: ImportDeps,
  { session, deadlineAt }: Required<ImportScope>,
  { created, changed }: Comparison,
): Promise<void> {
  const products = nativeCollection(Product)
  const at = now()
  for (const batch of batchesOf(created, ({ variants }) => variants.length)) {
    refuseLate(deadlineAt)
    await products.insertMany(
      batch.map((each) => newProduct(each, at)),
      { session },
    )
  }
  for (const batch of batchesOf(changed, ({ set }) => Object.keys(set).length)) {
    refuseLate(deadlineAt)
    const updates = batch.map(
      ({ _id, set }): mongo.AnyBulkWriteOperation<Product> => ({
        updateOne: { filter: { _id }, update: { $set: { ...set, updatedAt: at } as never } },
      }),
    )
    await products.bulkWrite(updates, { session, ordered: false })
  }
}

/**
 * Per call to MongoDB. Encoding a batch takes a few ms, during which the process serves no other request. If each
 * product in a batch has a hundred variants, writing it takes 0.1 s on a busy server, far less than the timeout of 5 s.
 */
const maxProducts = 100
const maxVariants = 500

/** Each item stands for one product, of which the import writes `countVariants` variants. */
function batchesOf<Item>(items: readonly Item[], countVariants: (item: Item) => number): Item[][] {
  const batches: Item[][] = []
  let variants = 0
  for (const item of items) {
    const last = batches.at(-1)
    const count = countVariants(item)
    if (last === undefined || last.length === maxProducts || variants + count > maxVariants) {
      batches.push([item])
      variants = 0
    } else last.push(item)
    variants += count
  }
  return batches
}

/** Handles in each list: the response is stored for a day. The counts include products that aren't listed. */
const maxListed = 100

/** Counts, and the handles of the first products that the import would create, update or leave unchanged. */
function previewOf({ counts, handles }: Comparison) {
  const listed = Object.entries(handles).map(([kind, all]) => [kind, all.slice(0, maxListed)])
  return { ...counts, dryRun: true, handles: Object.fromEntries(listed) as Comparison['handles'] }
}
