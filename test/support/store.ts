import { randomBytes } from 'node:crypto'
import { createShop } from '../../src/store/shops/create-shop.ts'
import { openingStock } from '../invariants/expect-invariants.ts'
import { type Merchant, type Service, tester } from './service.ts'

/** Operations of merchants on their store, for tests that need them as set-up. */

export interface VariantResponse {
  _id: string
  label: string
  sku: string | null
  price: number
  stock: number
}

export interface ProductResponse {
  _id: string
  handle: string
  name: string
  description: string
  images: string[]
  active: boolean
  sandbox: boolean
  variants: [VariantResponse, ...VariantResponse[]]
  createdAt: string
  updatedAt: string
}

/** Creates the live shop of a business, as an operator. */
export const openLiveShop = ({ deps }: Service, { businessId }: Merchant) =>
  createShop(deps, { businessId, sandbox: false, name: 'Épicerie' }, tester)

/** Creates a product. By default it costs 1 000 centimes and has 5 in stock. */
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

export async function readProduct(service: Service, merchant: Merchant, id: string): Promise<ProductResponse> {
  const { body } = await service.http.get(`/api/v1/dev/store/products/${id}`).set(merchant.read())
  return body.data
}
