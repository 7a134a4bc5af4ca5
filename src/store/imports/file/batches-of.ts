/**
 * The maximum numbers of products and variants that an import writes in one call to MongoDB. Encoding a batch takes a
 * few ms, during which the process can serve no other request. If each product in a batch has a hundred variants,
 * writing the batch takes 0.1 s on a busy server. This is far less than the timeout of 5 s.
 */
const maxProducts = 100
const maxVariants = 500

/**
 * Splits the items into batches. Each item stands for one product. `countVariants` returns how many variants of that
 * product the import writes.
 */
export function batchesOf<Item>(items: readonly Item[], countVariants: (item: Item) => number): Item[][] {
  const batches: Item[][] = []
  let variants = 0
  for (const item of items) {
    const last = batches.at(-1)
    const count = countVariants(item)
    if (last === undefined || last.length === maxProducts || variants + count > maxVariants) {
      batches.push([item])
      variants = 0
    } else last.push(item)
    variants += count
  }
  return batches
}
