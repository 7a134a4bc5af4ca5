import type { Deps } from '../../src/deps.ts'
import { noDeadline } from '../../src/mongo/batching/batcher.ts'
import { newId } from '../../src/security/ids.ts'
import { readRows } from '../../src/store/imports/file/read-rows.ts'
import { importProducts } from '../../src/store/imports/import-products.ts'
import type { ImportPlan } from '../../src/store/imports/plan/plan.ts'
import type { Product } from '../../src/store/products/product.ts'
import { callerOf } from './caller.ts'
import type { Merchant, Service } from './service.ts'

/** A CSV file with these lines, header first. */
export const csvOf = (...lines: string[]): string => `${lines.join('\n')}\n`

/** The merchant imports a file. */
export const postCsv = (
  service: Service,
  merchant: Merchant,
  csv: string,
  { query = '', key = newId() }: { query?: string; key?: string } = {},
) =>
  service.http
    .post(`/api/v1/dev/store/products/import-csv${query}`)
    .set({ ...merchant.write(key), 'Content-Type': 'text/csv' })
    .send(csv)

/** Imports without HTTP, under a given effect id. The caller may change the deadline while the import runs. */
export async function importAs(
  deps: Deps,
  merchant: Merchant,
  csv: string,
  effectId: string,
  deadline = { deadlineAt: noDeadline },
) {
  const input = { rows: await readRows(deps, csv), isDryRun: false }
  const effect = {
    id: effectId,
    get deadlineAt() {
      return deadline.deadlineAt
    },
    cause: null,
    seal: () => '',
  }
  return importProducts(deps, callerOf(merchant), input, effect)
}

/** The merchant's stored products by handle, without deleted ones. */
export const storedProducts = (service: Service, { businessId }: Merchant): Promise<Product[]> =>
  service.deps.Product.find({ businessId, deletedAt: null }).sort({ handle: 1 }).lean<Product[]>()

/** A product as stored, even if it is deleted. */
export const storedProduct = (service: Service, _id: string): Promise<Product | null> =>
  service.deps.Product.findById(_id).lean<Product | null>()

/** The variants of a product, as one line each. */
export const variantLines = ({ handle, name, variants }: Pick<Product, 'handle' | 'name' | 'variants'>): string[] =>
  variants.map(({ label, sku, price, stock }) => [handle, name, label, sku, price, stock].join('|'))

/** The plans of the merchant's imports. */
export const plansOf = (service: Service, { businessId }: Merchant): Promise<ImportPlan[]> =>
  service.deps.ImportPlan.find({ businessId }).lean<ImportPlan[]>()
