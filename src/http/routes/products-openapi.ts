import { changeStockBody } from '../../../schemas/change-stock.ts'
import { createProductBody } from '../../../schemas/create-product.ts'
import { listProductsQuery } from '../../../schemas/list-products.ts'
import { longestLabel } from '../../../schemas/product-limits.ts'
import { id, saying, text } from '../../../schemas/responses/fields.ts'
import { deletedProduct, product, productPage, stockedVariant } from '../../../schemas/responses/product.ts'
import { updateProductBody } from '../../../schemas/update-product.ts'
import type { About } from './openapi-text.ts'
import { pageWith } from './page-example.ts'
import * as example from './products-example.ts'

const params = { id: saying('`_id` of the product.', id) }
const ofOne = { id: example.productId }
const missing = ['SHOP_NOT_FOUND', 'PRODUCT_NOT_FOUND', 'SANDBOX_MISMATCH'] as const
const noVariant = ['VARIANT_NOT_FOUND', 'VARIANT_LABEL_AMBIGUOUS'] as const

export const aboutProducts = {
  create: {
    operationId: 'createProduct',
    tag: 'Products',
    summary: 'Create a product',
    description:
      'Without `variants`, the product has one variant, `Default`, with this `price`, `stock` and `sku`.',
    params: {},
    query: null,
    body: createProductBody,
    answer: product,
    errors: ['SHOP_NOT_FOUND'],
    example: { body: example.asked, answer: example.product },
  },
  list: {
    operationId: 'listProducts',
    tag: 'Products',
    summary: 'List products',
    description: "Newest first, of the key's environment.",
    params: {},
    query: listProductsQuery,
    body: null,
    answer: productPage,
    errors: ['SHOP_NOT_FOUND'],
    example: { query: { sku: 'TV-250' }, answer: pageWith(example.product, 20) },
  },
  get: {
    operationId: 'getProduct',
    tag: 'Products',
    summary: 'Read a product',
    description: 'With its variants and their stock.',
    params,
    query: null,
    body: null,
    answer: product,
    errors: missing,
    example: { params: ofOne, answer: example.product },
  },
  update: {
    operationId: 'updateProduct',
    tag: 'Products',
    summary: 'Change a product',
    description:
      'Omitted fields keep their values. A variant is found by its `_id`, or without one by its `label`. A new label creates a variant, which needs a `price`.',
    params,
    query: null,
    body: updateProductBody,
    answer: product,
    errors: [...missing, ...noVariant],
    example: { params: ofOne, body: example.change, answer: example.changed },
  },
  delete: {
    operationId: 'deleteProduct',
    tag: 'Products',
    summary: 'Delete a product',
    description: 'Orders keep their copy of it.',
    params,
    query: null,
    body: null,
    answer: deletedProduct,
    errors: missing,
    example: { params: ofOne, answer: example.deleted },
  },
  changeStock: {
    operationId: 'changeStock',
    tag: 'Products',
    summary: 'Set or adjust the stock of a variant',
    description: 'Send exactly one of `stock` and `delta`. Stock never falls below 0.',
    params: {
      ...params,
      vid: saying('`_id` of the variant, or its label.', { ...text(longestLabel), minLength: 1 }),
    },
    query: null,
    body: changeStockBody,
    answer: stockedVariant,
    errors: [...missing, ...noVariant, 'INSUFFICIENT_STOCK'],
    example: {
      params: { ...ofOne, vid: example.variantId },
      body: { delta: -2 },
      answer: example.stocked,
    },
  },
} as const satisfies Record<string, About>
