import { readCsvForm } from '../../../schemas/delimiter.ts'
import * as inputs from '../../../schemas/products.ts'
import { described } from '../../../schemas/requests.ts'
import { idSchema, maxSafeInteger, textSchema } from '../../../schemas/responses/fields.ts'
import * as schema from '../../../schemas/responses/store.ts'
import { normaliseName } from '../../input/name.ts'
import { presentPage } from '../../lists/pagination.ts'
import { exportProducts } from '../../store/exports/export-products.ts'
import { type CsvUpload, importProducts, parseProductImport } from '../../store/imports/import-products.ts'
import {
  changeStock,
  deleteProduct,
  parseStockChange,
  parseUpdateProduct,
  updateProduct,
} from '../../store/products/change.ts'
import { createProduct, parseCreateProduct } from '../../store/products/create.ts'
import { presentProduct } from '../../store/products/product.ts'
import { findProduct, listProducts, parseProductSearch } from '../../store/products/read.ts'
import { declareOperations } from '../operations/route.ts'
import { csvContentType } from '../responses/download.ts'

const { get, list, post, put, patch, remove, download } = declareOperations('Products', {
  read: 'store.products:read',
  write: 'store.products:write',
  params: {
    id: described('The `_id` of the product.', idSchema),
    vid: described('The `_id` of the variant, or its label.', {
      ...textSchema(inputs.maxVariantLabelLength),
      minLength: 1,
    }),
  },
})

const missing = ['SHOP_NOT_FOUND', 'PRODUCT_NOT_FOUND', 'SANDBOX_MISMATCH'] as const
const noVariant = ['VARIANT_NOT_FOUND', 'VARIANT_LABEL_AMBIGUOUS'] as const

export const productRoutes = [
  post('/dev/store/products/import-csv', {
    operationId: 'importProducts',
    summary: 'Import products from a CSV file',
    description:
      'Creates and updates products from a file with one row per variant. If the file has a fault, nothing changes, and `details.faults` lists the faults by row and column.',
    query: inputs.importProductsQuery,
    body: inputs.importProductsBody,
    response: schema.importResultSchema,
    errors: ['SHOP_NOT_FOUND', 'AMOUNT_OUT_OF_RANGE'],
    readsCsv: true,
    run: async (deps, caller, { query, body }, request) =>
      deps.importOneAtATime(caller.businessId, async () => {
        const input = await parseProductImport(deps, query, body as CsvUpload, request.deadlineAt)
        return importProducts(deps, caller, input, request)
      }),
  }),
  download('/dev/store/products/export-csv', {
    operationId: 'exportProducts',
    summary: 'Export products to a CSV file',
    description:
      'Returns all products, one row per variant, oldest product first. Importing the file again (up to 5000 rows) changes nothing.',
    query: inputs.exportProductsQuery,
    response: described('The CSV file.', textSchema(maxSafeInteger)),
    errors: ['SHOP_NOT_FOUND'],
    download: async (deps, caller, { query }) => ({
      contentType: csvContentType,
      fileName: 'products.csv',
      pieces: exportProducts(deps, caller, readCsvForm(query)),
    }),
  }),
  post('/dev/store/products', {
    operationId: 'createProduct',
    summary: 'Create a product',
    description:
      'Send either `variants` or a `price`. Without `variants`, the product gets one variant called `Default`, with the `price`, `stock` and `sku` that you send.',
    body: inputs.createProductBody,
    response: schema.productSchema,
    errors: ['SHOP_NOT_FOUND'],
    status: 201,
    run: async (deps, caller, { body }, request) =>
      createProduct(deps, caller, parseCreateProduct(deps, body), request),
  }),
  list('/dev/store/products', {
    operationId: 'listProducts',
    summary: 'List products',
    description: "Returns the products of the key's environment, newest first.",
    query: inputs.listProductsQuery,
    response: schema.productPageSchema,
    errors: ['SHOP_NOT_FOUND'],
    shows: 'product',
    run: async (deps, caller, { query }) =>
      presentPage(await listProducts(deps, caller, parseProductSearch(query)), presentProduct),
  }),
  get('/dev/store/products/:id', {
    operationId: 'getProduct',
    summary: 'Retrieve a product',
    description: 'Returns the product with its variants and their stock.',
    response: schema.productSchema,
    errors: missing,
    shows: 'product',
    run: async (deps, caller, { params: { id } }) => presentProduct(await findProduct(deps, caller, id)),
  }),
  put('/dev/store/products/:id', {
    operationId: 'updateProduct',
    summary: 'Update a product',
    description:
      'Changes the fields that you send. Identify a variant by its `_id` or `label`; a new `label` creates a variant, which needs a `price`.',
    body: inputs.updateProductBody,
    response: schema.productSchema,
    errors: [...missing, ...noVariant],
    run: async (deps, caller, { params: { id }, body }, request) =>
      updateProduct(deps, caller, id, parseUpdateProduct(deps, body), request),
  }),
  remove('/dev/store/products/:id', {
    operationId: 'deleteProduct',
    summary: 'Delete a product',
    description: 'Deletes the product with its variants. Orders keep their copy of what was sold.',
    response: schema.deletedProductSchema,
    errors: missing,
    run: (deps, caller, { params: { id } }, request) => deleteProduct(deps, caller, id, request),
  }),
  patch('/dev/store/products/:id/variants/:vid/stock', {
    operationId: 'changeStock',
    summary: 'Change the stock of a variant',
    description:
      'Send either `stock` (the new stock level) or `delta` (the number of units to add or subtract). A change that would bring the stock below 0 is refused with INSUFFICIENT_STOCK.',
    body: inputs.changeStockBody,
    response: schema.stockedVariantSchema,
    errors: [...missing, ...noVariant, 'INSUFFICIENT_STOCK'],
    run: async (deps, caller, { params: { id: productId, vid }, body }, request) => {
      const idOrLabel = normaliseName('name', vid) ?? vid
      return changeStock(deps, caller, { productId, idOrLabel }, parseStockChange(deps, body), request)
    },
  }),
]
