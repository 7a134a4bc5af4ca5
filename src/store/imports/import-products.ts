import { type ImportProductsQuery, importProductsFields } from '../../../schemas/products.ts'
import { runAuditedOnce } from '../../audit/audited.ts'
import type { Caller } from '../../businesses/caller.ts'
import { type ReserveStorage, withStorageQuota } from '../../businesses/quotas.ts'
import type { OperationResult, WriteRequest } from '../../idempotency/request.ts'
import { rawCollection } from '../../mongo/collection.ts'
import type { Deps } from '../../platform/deps.ts'
import { refuseIfLate } from '../../platform/errors.ts'
import { buildProduct, type StoreWriteDeps } from '../products/create.ts'
import type { Product } from '../products/product.ts'
import { ensureShop, requireShop } from '../shops/shops.ts'
import { compareImport, type ImportComparison, type ImportScope } from './compare.ts'
import { parseProductCsv } from './read-file.ts'
import type { ProductRow } from './rows.ts'

interface ImportRequest {
  rows: readonly ProductRow[]
  isDryRun: boolean
}

/** `others` contains the names of all fields except the file. */
export interface CsvUpload {
  csv: unknown
  kind: keyof typeof importProductsFields
  others: string[]
}

export async function parseProductImport(
  deps: Pick<Deps, 'config' | 'validate'>,
  { dryRun = 'false' }: ImportProductsQuery,
  { csv, kind, others }: CsvUpload,
  deadlineAt: number,
): Promise<ImportRequest> {
  refuseIfLate(deadlineAt)
  deps.validate(importProductsFields[kind], Object.fromEntries(others.map((name) => [name, true])))
  return { rows: await parseProductCsv(deps, csv), isDryRun: dryRun === 'true' }
}

/** MongoDB ends a transaction after 5 s, and other requests wait for it. */
const longestTryMs = 4_000

const maxBusy = 100

/** Imports all rows in one transaction. A dry run writes nothing. */
export async function importProducts(
  deps: StoreWriteDeps,
  caller: Caller,
  { rows, isDryRun }: ImportRequest,
  request: WriteRequest,
): Promise<OperationResult> {
  const { businessId, sandbox } = caller
  const { deadlineAt } = request
  if (isDryRun) {
    await requireShop(deps, caller)
    const comparison = await compareImport(deps, { businessId, sandbox, deadlineAt }, rows)
    return { kind: 'none', data: previewOf(comparison) }
  }
  return withStorageQuota(deps, caller, (reserve) =>
    runAuditedOnce(deps, request, { documents: [] }, ({ session }) => {
      const giveUpAt = Math.min(deadlineAt, performance.now() + longestTryMs)
      return importRows(deps, { businessId, sandbox, session, deadlineAt: giveUpAt }, rows, reserve)
    }),
  )
}

async function importRows(
  deps: StoreWriteDeps,
  scope: Required<ImportScope>,
  rows: readonly ProductRow[],
  reserve: ReserveStorage,
) {
  const { session } = scope
  const busy = await findBusy(deps, scope, rows)
  // Every import changes the shop, so imports run one after the other.
  const lock = { $inc: { imports: 1 } }
  await ensureShop(deps, scope, session, lock)
  // From now on, other requests have to wait for these products.
  if (busy.length > 0) await rawCollection(deps.Product).updateMany({ _id: { $in: busy } }, lock, { session })
  const comparison = await compareImport(deps, scope, rows)
  await reserve({ creates: comparison.created.length, bytes: comparison.growth })
  await write(deps, scope, comparison)
  return comparison.counts
}

/** If one of these changed before we locked it, we'd have to start over. */
async function findBusy(
  { Product }: StoreWriteDeps,
  { businessId, sandbox }: ImportScope,
  rows: readonly ProductRow[],
) {
  const handles = [...new Set(rows.map(({ handle }) => handle))]
  const found = await rawCollection(Product)
    .find({ businessId, sandbox, listed: true, handle: { $in: handles } }, { hint: 'handleInUse' })
    .project<Pick<Product, '_id'>>({ _id: 1 })
    .sort({ updatedAt: -1 })
    .limit(maxBusy)
    .toArray()
  return found.map(({ _id }) => _id)
}

async function write(
  { Product, now }: StoreWriteDeps,
  { session, deadlineAt }: Required<ImportScope>,
  { created, changed }: ImportComparison,
): Promise<void> {
  const products = rawCollection(Product)
  const at = now()
  for (const batch of batchesOf(created, ({ variants }) => variants.length)) {
    refuseIfLate(deadlineAt)
    await products.insertMany(
      batch.map((each) => buildProduct(each, at)),
      { session },
    )
  }
  for (const batch of batchesOf(changed, ({ set }) => Object.keys(set).length)) {
    refuseIfLate(deadlineAt)
    const updates = batch.map(({ _id, set }) => ({
      updateOne: { filter: { _id }, update: { $set: { ...set, updatedAt: at } as never } },
    }))
    await products.bulkWrite(updates, { session, ordered: false })
  }
}

/** Encoding a full batch blocks the process for a few ms. */
const maxProducts = 100
const maxVariants = 500

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

/** The response is stored for a day, so it lists only some handles. */
const maxListed = 100

function previewOf({ counts, handles }: ImportComparison) {
  const listed = Object.entries(handles).map(([kind, all]) => [kind, all.slice(0, maxListed)])
  return { ...counts, dryRun: true, handles: Object.fromEntries(listed) as ImportComparison['handles'] }
}
