import type { WriteRequest } from '../../src/idempotency/request.ts'
import type { Deps } from '../../src/platform/deps.ts'
import { newId } from '../../src/platform/ids.ts'
import { importProducts } from '../../src/store/imports/import-products.ts'
import { parseProductCsv } from '../../src/store/imports/read-file.ts'
import type { Product } from '../../src/store/products/product.ts'
import { noteRestocked } from '../invariants/expect-invariants.ts'
import { callerOf } from './caller.ts'
import type { Merchant, Service } from './service.ts'
import { dataOf, newRequest } from './write-request.ts'

export const csvOf = (...lines: string[]): string => `${lines.join('\n')}\n`

export const postCsv = (
  service: Service,
  merchant: Merchant,
  csv: string,
  { query = '', key = newId() }: { query?: string; key?: string } = {},
) => {
  noteRestocked(csv)
  return service.http
    .post(`/api/v1/dev/store/products/import-csv${query}`)
    .set({ ...merchant.write(key), 'Content-Type': 'text/csv' })
    .send(csv)
}

export async function importAs(deps: Deps, merchant: Merchant, csv: string, changes?: Partial<WriteRequest>) {
  noteRestocked(csv)
  const input = { rows: await parseProductCsv(deps, csv), isDryRun: false }
  return dataOf(await importProducts(deps, callerOf(merchant), input, newRequest(deps, changes)))
}

export const storedProducts = (service: Service, { businessId }: Merchant): Promise<Product[]> =>
  service.deps.Product.find({ businessId, deletedAt: null }).sort({ handle: 1 }).lean<Product[]>()
export const variantLines = ({ handle, name, variants }: Pick<Product, 'handle' | 'name' | 'variants'>) =>
  variants.map(({ label, sku, price, stock }) => [handle, name, label, sku, price, stock].join('|'))
