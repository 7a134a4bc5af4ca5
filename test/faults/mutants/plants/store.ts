import { killedAt, type Mutant, plain } from '../mutant.ts'

export const storeMutants: readonly Mutant[] = [
  {
    name: 'stock-below-zero',
    says: 'A change of stock does not check in its write that so much is there.',
    edits: [
      {
        file: 'src/store/stock/plan.ts',
        find: '{ $elemMatch: { _id: variantId, ...room } }',
        put: '{ $elemMatch: { _id: variantId } }',
      },
    ],
    caughtBy: ['stock.balances'],
    focus: { ...plain, often: ['changeStock'] },
    isOneMore: true,
  },
  {
    name: 'order-at-another-price',
    says: 'A line of an order is sold at the price of the first variant of its product.',
    edits: [
      {
        file: 'src/store/orders/draft.ts',
        find: '  unitPrice: variant.price,',
        put: '  unitPrice: (product.variants[0] ?? variant).price,',
      },
      {
        file: 'src/store/orders/draft.ts',
        find: '  total: variant.price * quantity,',
        put: '  total: (product.variants[0] ?? variant).price * quantity,',
      },
    ],
    caughtBy: ['order.exact'],
    focus: { ...plain, often: ['placeOrder'] },
    isOneMore: true,
  },
  {
    name: 'stock-taken-for-good',
    says: 'What an order took that was never placed is not given back.',
    edits: [
      {
        file: 'src/store/orders/reservations.ts',
        find: 'else await giveBack(deps, tryId, [{ productId, items }])',
        put: 'else await settle(deps, tryId, [{ productId }])',
      },
    ],
    caughtBy: ['stock.balances'],
    focus: { ...killedAt('order.reserved'), often: ['placeOrder'] },
    isOneMore: true,
  },
  {
    name: 'import-half-applied',
    says: 'An import leaves the first variant of each product that it changes as it was.',
    edits: [
      {
        file: 'src/store/imports/plan/patch-product.ts',
        find: '$concatArrays: [mergedWith(variants),',
        put: '$concatArrays: [mergedWith(variants.slice(1)),',
      },
    ],
    caughtBy: ['import.whole'],
    focus: { ...plain, often: ['importProducts'] },
    isOneMore: true,
  },
]
