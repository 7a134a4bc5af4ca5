import { replace } from '../../../support/edited-build/edit.ts'
import { killedAt, type PlantedBugs, plain } from '../mutant.ts'

export const storeMutants: PlantedBugs = {
  'stock-below-zero': {
    bug: 'The write of a stock change does not check that enough is left.',
    edits: [replace('planStock', '{ _id: $id, ...stockGuard }', '{ _id: $id }')],
    caughtBy: ['stock.balances'],
    focus: { ...plain, often: ['changeStock'] },
  },
  'order-at-another-price': {
    bug: 'An order line is sold at the price of the first variant of its product.',
    edits: [
      replace('itemOf', 'unitPrice: variant.price', 'unitPrice: (product.variants[0] ?? variant).price'),
      replace('itemOf', 'variant.price * quantity', '(product.variants[0] ?? variant).price * quantity'),
    ],
    caughtBy: ['order.exact'],
    focus: { ...plain, often: ['placeOrder'] },
  },
  'stock-taken-for-good': {
    bug: 'The stock that an order reserved is not given back when the order is never placed.',
    edits: [replace('settleOrGiveBack', 'giveBack($$)', 'settle($$)')],
    caughtBy: ['stock.balances'],
    focus: { ...killedAt('order.reserved'), often: ['placeOrder'] },
  },
  'import-half-applied': {
    bug: 'An import leaves the first variant of each changed product unchanged.',
    edits: [replace('patchOnce', 'mergedWith($variants)', 'mergedWith($variants.slice(1))')],
    caughtBy: ['import.whole'],
    focus: { ...plain, often: ['importProducts'] },
  },
}
