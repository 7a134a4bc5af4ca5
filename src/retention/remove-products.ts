import type { Cleaning } from './cleaning.ts'
import { eachPage } from './each-page.ts'
import { removeTests } from './remove.ts'

/**
 * Removes a business's old test products, including deleted ones. The business's hidden sandbox shop is kept, because
 * it is only one small document.
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
      removeTests(cleaning, 'products', Product, { _id: { $in: ids } }),
    )
}
