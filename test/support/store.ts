import { randomBytes } from 'node:crypto'
import { createShop } from '../../src/store/shops/create-shop.ts'
import type { Merchant, Service } from './service.ts'

/** What merchants do in their store, in one line each. */

export interface SeenVariant {
  _id: string
  label: string
  sku: string | null
  price: number
  stock: number
}

export interface SeenProduct {
  _id: string
  handle: string
  name: string
  description: string
  images: string[]
  active: boolean
  sandbox: boolean
  variants: [SeenVariant, ...SeenVariant[]]
  createdAt: string
  updatedAt: string
}

/** An operator makes the live shop of a business. */
export const openLiveShop = ({ deps }: Service, { businessId }: Merchant) =>
  createShop(deps, { businessId, sandbox: false, name: 'Épicerie' })

/** The merchant makes a product: 1 000 centimes, 5 in stock, where nothing else is asked. */
export async function createProduct(
  service: Service,
  merchant: Merchant,
  asked: Record<string, unknown> = {},
): Promise<SeenProduct> {
  const sold = 'variants' in asked ? {} : { price: 1000, stock: 5 }
  const name = `Product ${randomBytes(4).toString('hex')}`
  const { status, body } = await service.http
    .post('/api/v1/dev/store/products')
    .set(merchant.write())
    .send({ name, ...sold, ...asked })
  if (status !== 201) throw new Error(JSON.stringify(body))
  return body.data
}

export async function readProduct(service: Service, merchant: Merchant, id: string): Promise<SeenProduct> {
  const { body } = await service.http.get(`/api/v1/dev/store/products/${id}`).set(merchant.read())
  return body.data
}
