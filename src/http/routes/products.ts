import type { ListProductsQuery } from '../../../schemas/list-products.ts'
import { readName } from '../../input/name.ts'
import { createProduct, recallProduct } from '../../store/products/create.ts'
import { deleteProduct } from '../../store/products/delete.ts'
import { findProduct } from '../../store/products/find.ts'
import { listProducts, parseProductSearch } from '../../store/products/list.ts'
import { parseChange } from '../../store/products/parse-change.ts'
import { parseCreate } from '../../store/products/parse-create.ts'
import { presentProduct } from '../../store/products/present.ts'
import { updateProduct } from '../../store/products/update.ts'
import { changeStock } from '../../store/stock/change.ts'
import { parseStockChange } from '../../store/stock/parse-change.ts'
import type { StockedVariant } from '../../store/stock/stocked-variant.ts'
import type { OperationInput, Route } from '../operations/route.ts'
import { aboutProducts } from './products-openapi.ts'

/** The operations on products and their stock (SPEC 4.9). */
export const productRoutes: readonly Route[] = [
  {
    method: 'post',
    claims: true,
    path: '/dev/store/products',
    about: aboutProducts.create,
    scope: 'store.products:write',
    status: 201,
    recall: recallProduct,
    run: (deps, caller, { body }, effect) => createProduct(deps, caller, parseCreate(deps, body), effect),
  },
  {
    method: 'get',
    path: '/dev/store/products',
    about: aboutProducts.list,
    key: 'secret',
    shows: 'product',
    isPage: true,
    scope: 'store.products:read',
    run: async (deps, caller, { query }: OperationInput<ListProductsQuery>) => {
      const { items, ...page } = await listProducts(deps, caller, parseProductSearch(query))
      return { items: items.map(presentProduct), ...page }
    },
  },
  {
    method: 'get',
    path: '/dev/store/products/:id',
    about: aboutProducts.get,
    key: 'secret',
    shows: 'product',
    scope: 'store.products:read',
    run: async (deps, caller, { params: { id = '' } }) => presentProduct(await findProduct(deps, caller, id)),
  },
  {
    method: 'put',
    claims: true,
    path: '/dev/store/products/:id',
    about: aboutProducts.update,
    scope: 'store.products:write',
    status: 200,
    run: async (deps, caller, { params: { id = '' }, body }, effect) =>
      presentProduct(await updateProduct(deps, caller, id, parseChange(deps, body), effect)),
  },
  {
    method: 'delete',
    claims: true,
    path: '/dev/store/products/:id',
    about: aboutProducts.delete,
    scope: 'store.products:write',
    status: 200,
    run: (deps, caller, { params: { id = '' } }, effect) => deleteProduct(deps, caller, id, effect),
  },
  {
    method: 'patch',
    claims: true,
    path: '/dev/store/products/:id/variants/:vid/stock',
    about: aboutProducts.changeStock,
    scope: 'store.products:write',
    status: 200,
    run: async (deps, caller, { params: { id = '', vid = '' }, body }, effect) => {
      const change = parseStockChange(deps, body)
      const idOrLabel = readName('name', vid) ?? vid
      return presentStock(await changeStock(deps, caller, { productId: id, idOrLabel }, change, effect))
    },
  },
]

/** Returns a variant as the merchant receives it in the response to a stock change. */
const presentStock = ({ productId, _id, label, sku, price, stock }: StockedVariant): Record<string, unknown> => ({
  productId,
  _id,
  label,
  sku,
  price,
  stock,
})
