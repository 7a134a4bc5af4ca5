import { readDelimiter } from '../../../schemas/delimiter.ts'
import type { ExportProductsQuery, ImportProductsQuery, ListProductsQuery } from '../../../schemas/products.ts'
import { readName } from '../../input/name.ts'
import { presentPage } from '../../input/pagination.ts'
import { exportProducts } from '../../store/exports/export-products.ts'
import { type FileBody, importProducts, parseImport } from '../../store/imports/import-products.ts'
import {
  changeStock,
  deleteProduct,
  parseChange,
  parseStockChange,
  updateProduct,
} from '../../store/products/change.ts'
import { createProduct, parseCreate } from '../../store/products/create.ts'
import { presentProduct } from '../../store/products/product.ts'
import { findProduct, listProducts, parseProductSearch } from '../../store/products/read.ts'
import type { OperationInput, Route } from '../operations/route.ts'
import { csvType } from '../responses/download.ts'
import { aboutProducts } from './products-openapi.ts'

/** The operations on products, their stock and their CSV files (SPEC 4.9). */
export const productRoutes: readonly Route[] = [
  {
    method: 'post',
    path: '/dev/store/products/import-csv',
    about: aboutProducts.importCsv,
    scope: 'store.products:write',
    body: 'csv',
    run: async (deps, caller, { query, body }: OperationInput<ImportProductsQuery>, request) =>
      deps.importOneAtATime(caller.businessId, async () => {
        const input = await parseImport(deps, query, body as FileBody, request.deadlineAt)
        return importProducts(deps, caller, input, request)
      }),
  },
  {
    method: 'get',
    path: '/dev/store/products/export-csv',
    about: aboutProducts.exportCsv,
    scope: 'store.products:read',
    download: async (deps, caller, { query }: OperationInput<ExportProductsQuery>) => ({
      contentType: csvType,
      fileName: 'products.csv',
      pieces: exportProducts(deps, caller, readDelimiter(query.delimiter)),
    }),
  },
  {
    method: 'post',
    path: '/dev/store/products',
    about: aboutProducts.create,
    scope: 'store.products:write',
    status: 201,
    run: async (deps, caller, { body }, request) => createProduct(deps, caller, parseCreate(deps, body), request),
  },
  {
    method: 'get',
    path: '/dev/store/products',
    about: aboutProducts.list,
    shows: 'product',
    isPage: true,
    scope: 'store.products:read',
    run: async (deps, caller, { query }: OperationInput<ListProductsQuery>) =>
      presentPage(await listProducts(deps, caller, parseProductSearch(query)), presentProduct),
  },
  {
    method: 'get',
    path: '/dev/store/products/:id',
    about: aboutProducts.get,
    shows: 'product',
    scope: 'store.products:read',
    run: async (deps, caller, { params: { id = '' } }) => presentProduct(await findProduct(deps, caller, id)),
  },
  {
    method: 'put',
    path: '/dev/store/products/:id',
    about: aboutProducts.update,
    scope: 'store.products:write',
    run: async (deps, caller, { params: { id = '' }, body }, request) =>
      updateProduct(deps, caller, id, parseChange(deps, body), request),
  },
  {
    method: 'delete',
    path: '/dev/store/products/:id',
    about: aboutProducts.delete,
    scope: 'store.products:write',
    run: (deps, caller, { params: { id = '' } }, request) => deleteProduct(deps, caller, id, request),
  },
  {
    method: 'patch',
    path: '/dev/store/products/:id/variants/:vid/stock',
    about: aboutProducts.changeStock,
    scope: 'store.products:write',
    run: async (deps, caller, { params: { id: productId = '', vid = '' }, body }, request) => {
      const idOrLabel = readName('name', vid) ?? vid
      return changeStock(deps, caller, { productId, idOrLabel }, parseStockChange(deps, body), request)
    },
  },
]
