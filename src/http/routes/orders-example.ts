import { currencyCode } from '../../../schemas/currency.ts'
import { productId, variantId } from './products-example.ts'

export const request = {
  items: [{ productId, variantLabel: '250 g', quantity: 2 }],
  customer: { name: 'Aïcha' },
}

export const order = {
  _id: '6920c2aae9b0a7d25c41f811',
  number: 'OR-7KX2MHQ4W9TBC3RA',
  status: 'PLACED',
  items: [
    {
      productId,
      variantId,
      name: 'Thé vert',
      variantLabel: '250 g',
      sku: 'TV-250',
      unitPrice: 14_000,
      quantity: 2,
      total: 28_000,
    },
  ],
  total: 28_000,
  currency: currencyCode,
  customer: { name: 'Aïcha', phone: null, email: null },
  sandbox: true,
  createdAt: '2026-11-21T19:50:02.640Z',
}
