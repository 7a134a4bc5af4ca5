import { replace } from '../../../support/edited-build/edit.ts'
import { killedAt, type PlantedBugs, plain } from '../mutant.ts'

export const storeMutants: PlantedBugs = {
  'stock-below-zero': {
    bug: 'A stock change does not check that enough is left.',
    edits: [replace('sumOf', 'requested > available', 'false')],
    caughtBy: ['stock.balances'],
    focus: { ...plain, often: ['changeStock'] },
  },
  'stock-read-outside': {
    bug: 'A stock change reads the product outside its transaction.',
    edits: [replace('changeStock', 'findProduct($deps, $by, $id, session)', 'findProduct($deps, $by, $id)')],
    caughtBy: ['stock.balances'],
    focus: { ...plain, seconds: 20, often: ['changeStock', 'placeOrder'] },
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
    bug: 'An order takes its units outside its transaction, so they are gone if the order is never placed.',
    edits: [replace('takeUnits', '{ session, $$ }', '{ $$ }')],
    caughtBy: ['stock.balances'],
    focus: { ...killedAt('order.units-taken'), often: ['placeOrder'] },
  },
  'import-half-applied': {
    bug: 'An import leaves the first variant of each changed product unchanged.',
    edits: [
      replace('compareProduct', 'changedVariants($of, $patches, $)', 'changedVariants($of, $patches.slice(1), added)'),
    ],
    caughtBy: ['import.whole'],
    focus: { ...plain, often: ['importProducts'] },
  },
  'import-in-parts': {
    bug: 'An import inserts its new products outside its transaction.',
    edits: [replace('write', '$.insertMany($new, $)', 'products.insertMany($new)')],
    caughtBy: ['store/import-races.test.ts'],
  },
}
