/**
 * What one call to MongoDB writes of an import. Of products with a hundred variants that is half a second on a busy server, far from the 5 s at
 * which a call is given up.
 */
const slice = 500

export function inSlices<Item>(items: readonly Item[]): Item[][] {
  const count = Math.ceil(items.length / slice)
  return Array.from({ length: count }, (_, place) => items.slice(place * slice, (place + 1) * slice))
}
