import type { Cleaning } from './cleaning.ts'
import { eachPage } from './each-page.ts'
import { removeTests } from './remove.ts'

/** No import has it prepared, and no order is being placed that took from its stock. */
const idle = { prepared: null, 'reservations.0': { $exists: false } }

/**
 * The test products of a business that are old, the marks of deleted ones too. Their hidden shop stays: it is one small document, and holds
 * nothing.
 */
export async function removeProducts(cleaning: Cleaning): Promise<void> {
  const { Product, businessId, testsBefore } = cleaning
  const owner = { businessId, sandbox: true }
  const span = { from: null, before: testsBefore }
  const walks = [
    { index: 'byTime', where: { ...owner, listed: true }, ...span },
    { index: 'deletions', where: { ...owner, deletedAt: { $type: 'date' } }, ...span },
  ]
  for (const walk of walks)
    await eachPage(cleaning.pace, Product, walk, (ids) =>
      removeTests(cleaning, 'products', Product, { _id: { $in: ids }, ...idle }),
    )
}
