import { maxLabelLength } from '../../../schemas/product-limits.ts'
import {
  changeStockBody,
  createProductBody,
  exportProductsQuery,
  importProductsBody,
  importProductsQuery,
  listProductsQuery,
  updateProductBody,
} from '../../../schemas/products.ts'
import { described, id, largestExact, text } from '../../../schemas/responses/fields.ts'
import { deletedProduct, importResult, product, productPage, stockedVariant } from '../../../schemas/responses/store.ts'
import { inSection, pageWith } from './openapi-text.ts'
import * as example from './products-example.ts'

const params = { id: described('The `_id` of the product.', id) }
const ofOne = { id: example.productId }
const missing = ['SHOP_NOT_FOUND', 'PRODUCT_NOT_FOUND', 'SANDBOX_MISMATCH'] as const
const noVariant = ['VARIANT_NOT_FOUND', 'VARIANT_LABEL_AMBIGUOUS'] as const

export const aboutProducts = inSection('Products', {
  importCsv: {
    operationId: 'importProducts',
    summary: 'Import products from a CSV file',
    description:
      'Creates and updates products, one row per variant. The import applies the whole file or, if it has a fault, nothing. `details.faults` then lists the faults by row and column.',
    query: importProductsQuery,
    body: importProductsBody,
    response: importResult,
    errors: ['SHOP_NOT_FOUND', 'AMOUNT_OUT_OF_RANGE'],
    example: { body: { csv: example.file }, response: example.imported },
  },
  exportCsv: {
    operationId: 'exportProducts',
    summary: 'Export products to a CSV file',
    description:
      'Returns all products, one row per variant, oldest product first. Importing the file again changes nothing.',
    query: exportProductsQuery,
    response: described('The CSV file.', { ...text(largestExact) }),
    errors: ['SHOP_NOT_FOUND'],
    example: { response: example.exported },
  },
  create: {
    operationId: 'createProduct',
    summary: 'Create a product',
    description:
      'Send either `variants` or a `price`. Without `variants`, the product gets one variant called `Default`, with the `price`, `stock` and `sku` that you send.',
    body: createProductBody,
    response: product,
    errors: ['SHOP_NOT_FOUND'],
    example: { body: example.request, response: example.product },
  },
  list: {
    operationId: 'listProducts',
    summary: 'List products',
    description: "Returns the products of the key's environment, newest first.",
    query: listProductsQuery,
    response: productPage,
    errors: ['SHOP_NOT_FOUND'],
    example: { query: { sku: 'TV-250' }, response: pageWith(example.product, 20) },
  },
  get: {
    operationId: 'getProduct',
    summary: 'Retrieve a product',
    description: 'Returns the product with its variants and their stock.',
    params,
    response: product,
    errors: missing,
    example: { params: ofOne, response: example.product },
  },
  update: {
    operationId: 'updateProduct',
    summary: 'Update a product',
    description:
      'Changes the fields that you send. Omitted fields keep their values. Identify a variant by its `_id` or its `label`. A new `label` creates a variant, which needs a `price`.',
    params,
    body: updateProductBody,
    response: product,
    errors: [...missing, ...noVariant],
    example: { params: ofOne, body: example.change, response: example.changed },
  },
  delete: {
    operationId: 'deleteProduct',
    summary: 'Delete a product',
    description: 'Deletes the product with its variants. Orders keep their copy of what was sold.',
    params,
    response: deletedProduct,
    errors: missing,
    example: { params: ofOne, response: example.deleted },
  },
  changeStock: {
    operationId: 'changeStock',
    summary: 'Change the stock of a variant',
    description:
      'Send either `stock`, the new stock level, or `delta`, the units to add or subtract. A change that would bring the stock below 0 is refused with INSUFFICIENT_STOCK.',
    params: {
      ...params,
      vid: described('The `_id` of the variant, or its label.', { ...text(maxLabelLength), minLength: 1 }),
    },
    body: changeStockBody,
    response: stockedVariant,
    errors: [...missing, ...noVariant, 'INSUFFICIENT_STOCK'],
    example: {
      params: { ...ofOne, vid: example.variantId },
      body: { delta: -2 },
      response: example.stocked,
    },
  },
})
