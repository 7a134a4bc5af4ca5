/**
 * The most that an import writes in one call to MongoDB. Encoding a batch takes a few ms, during which the process serves no other request. A
 * batch of products with a hundred variants each takes 0.1 s on a busy server, far less than the 5 s after which the driver gives up.
 */
const maxProducts = 100
const maxVariants = 500

/** Splits products into batches. `variantsOf` returns how many variants of a product the import writes. */
export function batchesOf<Item>(items: readonly Item[], variantsOf: (item: Item) => number): Item[][] {
  const batches: Item[][] = []
  let variants = 0
  for (const item of items) {
    const last = batches.at(-1)
    const count = variantsOf(item)
    if (last === undefined || last.length === maxProducts || variants + count > maxVariants) {
      batches.push([item])
      variants = 0
    } else last.push(item)
    variants += count
  }
  return batches
}
