import { randomBytes } from 'node:crypto'
import type { Product, Variant } from '../../clients/typescript/payments.ts'
import { createBusinessShop } from '../../src/store/shops/shops.ts'
import { openingStock } from '../invariants/expect-invariants.ts'
import { type Merchant, type Service, tester } from './service.ts'

export type VariantResponse = Variant
export type ProductResponse = Product & { variants: [Variant, ...Variant[]] }
export const openLiveShop = ({ deps }: Service, { businessId }: Merchant) =>
  createBusinessShop(deps, { businessId, name: 'Épicerie' }, tester)

export async function createProduct(
  service: Service,
  merchant: Merchant,
  input: Record<string, unknown> = {},
): Promise<ProductResponse> {
  const defaults = 'variants' in input ? {} : { price: 1000, stock: 5 }
  const name = `Product ${randomBytes(4).toString('hex')}`
  const { status, body } = await service.http
    .post('/api/v1/dev/store/products')
    .set(merchant.write())
    .send({ name, ...defaults, ...input })
  if (status !== 201) throw new Error(JSON.stringify(body))
  const product: ProductResponse = body.data
  for (const { _id, stock } of product.variants) openingStock.set(_id, stock)
  return product
}

export const productsPath = '/api/v1/dev/store/products'

export const productRequests = (service: Service, merchant: Merchant) => ({
  create: (body: unknown, key?: string) =>
    service.http
      .post(productsPath)
      .set({ ...merchant.write(key), 'Content-Type': 'application/json' })
      .send(typeof body === 'string' ? body : JSON.stringify(body)),
  read: (id: string) => service.http.get(`${productsPath}/${id}`).set(merchant.read()),
  list: (query: object = {}) => service.http.get(productsPath).query(query).set(merchant.read()),
  change: (id: string, body: object, key?: string) =>
    service.http.put(`${productsPath}/${id}`).set(merchant.write(key)).send(body),
  remove: (id: string, key?: string) => service.http.delete(`${productsPath}/${id}`).set(merchant.write(key)),
})

export const readProduct = async (
  service: Service,
  merchant: Merchant,
  id: string,
): Promise<ProductResponse> => (await productRequests(service, merchant).read(id)).body.data
